"""Ports of the transcript and of the turns over it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from memory.domain.chats import ChatRef, Message, Recorded, StoredMessage
from memory.domain.recalls import Filed, Receipt
from memory.domain.work import Claim, Turn, TurnState, Waiting


class Ledger(Protocol):
    """The transcript: the single source of truth of what was said (W2)."""

    async def record(
        self,
        messages: Sequence[Message],
        *,
        history: bool = False,
        arrived_at: datetime | None = None,
        look_in_s: float | None = None,
        about: str = "",
    ) -> list[Recorded]:
        """Store messages; one already stored is left as it is. Results in input order.

        Contacts' messages and the owner's commands (`Message.awaits_turn`) wait for a turn, unless
        they are `history`, which is never answered. `arrived_at`: None for the database's clock.
        `look_in_s`: what is new in a chat has a worker look at it so many seconds later; the
        messages are then of one chat. None: no worker is told. `about`: the uid of what they are
        about. What was erased, or is about what was, is left out: it is known, in place 0.
        """
        ...

    async def claim(
        self, turn_id: str, message: Message, *, after: int = 0, window: int = 0
    ) -> Claim:
        """Claim `message` and whatever is pending from its sender in its chat.

        Returns with it the newest `window` lines after the `seq` `after` that a prompt may show,
        the claimed ones among them. The same turn claims the same rows again after a retry, those
        of `claim_also` included. Empty when another turn holds `message` already, or it is not
        stored.
        """
        ...

    async def pending(self, chat: ChatRef, limit: int | None = None) -> list[StoredMessage]:
        """Return what waits for a turn in a chat, in order of arrival; `limit` stops early."""
        ...

    async def claim_also(
        self, tenant: str, turn_id: str, uids: Sequence[str]
    ) -> list[StoredMessage]:
        """Claim more pending messages for a running turn; those of other turns are left out."""
        ...

    async def withhold(self, tenant: str, uids: Sequence[str]) -> None:
        """Keep messages out of every prompt, search and lesson; they stay in the transcript."""
        ...

    async def since(self, chat: ChatRef, seq: int, limit: int) -> list[StoredMessage]:
        """Return the newest `limit` messages after `seq`, oldest first."""
        ...

    async def page(
        self, tenant: str, contact_id: str, before: int | None, limit: int
    ) -> list[StoredMessage]:
        """Return the newest `limit` messages of a contact's direct chats, oldest first (C5).

        Only those with a `seq` below `before`, where it is given.
        """
        ...

    async def contact_of(self, chat: ChatRef) -> str:
        """Return whose direct chat it is; empty of a group, and where nothing is stored yet."""
        ...

    async def messages(
        self, tenant: str, uids: Sequence[str], with_neighbours: Collection[str] = ()
    ) -> list[StoredMessage]:
        """Return the messages with these uids, in chat order.

        With them come those of `with_neighbours`, and of each of these the one before and after.
        """
        ...

    async def before(self, tenant: str, uids: Sequence[str]) -> dict[str, str]:
        """Return for each message the text of the turn before it in its chat, as it reads now.

        Only one of the twelve hours before it, and none that is withheld; nor what another contact
        said in a group, unless it asks: nobody goes on with somebody else's "I". The others are
        left out.
        """
        ...

    async def own_lines(
        self, tenant: str, uids: Sequence[str], *, after: bool = False
    ) -> dict[str, list[StoredMessage]]:
        """Return for each message what its sender said just before it in its chat, in order.

        What stands among the twelve messages before it, and was said in the twelve hours before;
        none that is withheld. A message without such lines is left out. `after`: what was said
        just after it, likewise.
        """
        ...

    async def settled(self, tenant: str, uids: Sequence[str]) -> list[StoredMessage]:
        """Return those of the messages that no turn is still to look at, in order of arrival."""
        ...

    async def said_in(self, tenant: str, anchor: str) -> list[StoredMessage]:
        """Return what contacts said in an anchor and no turn is still to look at, in order."""
        ...

    async def said_by(self, tenant: str, contact_id: str) -> list[StoredMessage]:
        """Return what a contact said and no turn is still to look at, in order."""
        ...

    async def quoted(self, chat: ChatRef, message_id: str, before: int) -> list[StoredMessage]:
        """Return a quoted message preceded by up to `before` lines; empty when unknown (N4).

        What is withheld comes along, so that the caller sees that it is known.
        """
        ...

    async def finish(
        self,
        tenant: str,
        turn_id: str,
        replies: Sequence[Message] = (),
        receipt: Receipt | None = None,
        parts: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """End a turn: replies, receipt and an outbox row for each part, all or nothing, once.

        `parts` are what is sent of each reply, by its uid, in the channel's markup; none where the
        caller hands the replies over itself. A reply to what was edited or deleted since the turn
        began is withheld.
        """
        ...


class Turns(Protocol):
    """The state of turns, for whoever runs or inspects them."""

    async def waiting(self, chat: ChatRef, limit: int) -> list[Waiting]:
        """Return what waits for a turn in a chat, by sender, whoever wrote first coming first."""
        ...

    async def count_pending(self, tenants: Sequence[str]) -> int:
        """Return how many messages no turn has claimed yet; at most 10,000 are counted."""
        ...

    async def count_failed(self, tenants: Sequence[str]) -> int:
        """Return how many turns have failed and were not tried again with success.

        At most 10,000 are counted.
        """
        ...

    async def failed(self, tenants: Sequence[str], turn_id: str) -> Turn | None:
        """Return a turn of one of the tenants if it has failed."""
        ...

    async def in_state(
        self, tenant: str, state: TurnState, *, after: str = "", limit: int | None = None
    ) -> list[Turn]:
        """Return the turns in a state, oldest first; those that began after the turn `after`.

        None follow a turn that is unknown.
        """
        ...

    async def fail(self, tenant: str, turn_id: str, reason: str) -> bool:
        """Mark a turn failed, with a reason fit for the owner's eyes; False where none has begun.

        A turn begins when it claims its messages.
        """
        ...

    async def release(self, tenant: str, turn_id: str) -> list[StoredMessage]:
        """Give a failed turn's messages back so that a new turn can claim them."""
        ...

    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        """Return the chat's latest receipts, newest first."""
        ...

    async def filed(
        self, tenant: str, limit: int, *, chat: str = "", turn_id: str = ""
    ) -> list[Filed]:
        """Return a tenant's latest receipts, newest first, with where the replies went.

        Only those of a chat, named `CHANNEL/ACCOUNT/CHAT_ID` and with all its topics, or of one
        turn, where it is given. `turn_id` is a UUID.
        """
        ...

    async def chats(self, tenant: str, channel: str, account: str) -> list[ChatRef]:
        """Return the chats of a channel account, the one with the newest message first."""
        ...

    async def prunable(
        self, tenant: str, *, idle_since: datetime, quiet_since: datetime, many: int, limit: int
    ) -> list[str]:
        """Return threads that keep more than their newest checkpoint and could do without.

        Those whose newest message is older than `idle_since`, and those with more than `many`
        checkpoints whose newest message is older than `quiet_since`; the longest idle first.
        """
        ...
