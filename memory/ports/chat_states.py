"""The port of what goes on in a chat beside its last lines, as the prompt of a turn asks for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from memory.domain.chats import ChatRef
from memory.domain.open_loops import Loop
from memory.policy.rules import Pause


class Retold(NamedTuple):
    """An episode in few words: the uid of its first message, when that was said, its summary."""

    first_uid: str
    began_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ChatState:
    """What goes on in a chat.

    `episodes`: its last ones, the newest first, those without a summary with an empty text.
    `loops`: what is open there, what is due first; their texts are cut. `over`: episodes that were
    asked for by their first messages, of this chat or others, that are over. `pauses`: those that
    last, in order of beginning.
    """

    episodes: Sequence[Retold] = ()
    loops: Sequence[Loop] = ()
    over: Sequence[Retold] = ()
    pauses: Sequence[Pause] = ()


class ChatStates(Protocol):
    """What goes on in chats, each in one read."""

    async def of(
        self, chat: ChatRef, now: datetime, episodes: int, loops: int, over: Collection[str] = ()
    ) -> ChatState:
        """Return what goes on in a chat: at most so many episodes and open loops.

        `over`: first messages of the episodes to be read besides.
        """
        ...
