"""Memory that a person wrote by hand, and which kind of it belongs where (N11)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from memory.domain.chats import ChatRef

MemoryKind = Literal["episodic", "semantic", "procedural", "reflective"]
MemoryScope = Literal["chat", "contact", "tenant"]

# Source: SPEC N11.
SCOPES: Final[dict[MemoryKind, MemoryScope]] = {
    "episodic": "chat",
    "semantic": "contact",
    "procedural": "contact",
    "reflective": "tenant",
}
NOTE: Final = "note"
"""What stands in place of a fact's key where a note is shown."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the ledger that a person wrote for the agent to know.

    `uid` is the line's; `anchor` is where it may surface, unless it is `reflective`: then it may
    in every chat of the tenant.
    """

    uid: str
    tenant: str
    kind: MemoryKind
    contact_id: str
    anchor: str
    text: str
    written_at: datetime

    @property
    def scope(self) -> MemoryScope:
        """Whom it is about: one chat, one contact, or all of a tenant."""
        return SCOPES[self.kind]


class Place(NamedTuple):
    """A chat of the ledger; `contact_id` is empty in a group."""

    chat: ChatRef
    contact_id: str
    is_group: bool
