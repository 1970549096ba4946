"""Port of answers that are given again: one takes the place of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.domain.chats import Message
from memory.domain.recalls import Receipt
from memory.domain.work import Claim


class Replies(Protocol):
    """What was answered, where a new turn answers it once more."""

    async def claim(
        self, turn_id: str, message: Message, replaced: str, *, after: int = 0, window: int = 0
    ) -> Claim:
        """Begin a turn over what the turn `replaced` answered, of which `message` is one.

        Nothing of what is there changes by it: until `replace`, all of it is the earlier turn's.
        Commands are left out. Returns with it the newest `window` lines after the `seq` `after`
        that a prompt may show. Empty, and no turn is begun, when the earlier turn's answer was
        replaced meanwhile. The same again after a retry.
        """
        ...

    async def replace(
        self, tenant: str, turn_id: str, replaced: str, reply: Message, receipt: Receipt
    ) -> bool:
        """End a turn, with its answer in the place of the earlier turn's; all or nothing, once.

        `reply` has the message id of the answer before it, whose words are kept as a revision. It
        is withheld where what it answers was edited or deleted since the turn began. False, and
        nothing but the turn's end is kept, where the earlier answer is no longer there.
        """
        ...

    async def before(self, tenant: str, uids: Sequence[str]) -> dict[str, list[str]]:
        """Return uid -> the words of the answers that stood there before, oldest first.

        Those that were never given again are left out.
        """
        ...
