"""Ports of what becomes known late: changed messages, joined people, moved chats, unread events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from memory.domain.changes import Change, RawEvent, Revision
from memory.domain.chats import ChatRef, Pair

Changed = Literal["applied", "late", "known", "waiting", "refused"]


class Revisions(Protocol):
    """Edits and revokes of the transcript's messages (X1)."""

    async def change(self, change: Change, arrived_at: datetime) -> Changed:
        """Let a message say what its sender made of it; durable when it returns.

        `applied`: the ledger shows the new text, or none. `late`: a newer edit, or a revoke, had
        come before. `known`: delivered before. `waiting`: kept until the message itself comes.
        `refused`: not its author's; nothing was changed.
        """
        ...

    async def history(self, tenant: str, uid: str) -> list[Revision]:
        """Return what a message said before each change, in order of arrival."""
        ...

    async def catch_up(self, tenant: str, limit: int) -> int:
        """Apply changes that still wait although their messages came; return how many messages.

        A message and its change that come at the same instant may miss each other.
        """
        ...


class Events(Protocol):
    """Authentic webhooks that could not be read, with the reason; bounded in number and age."""

    async def keep(self, tenant: str, channel: str, account: str, reason: str, body: bytes) -> str:
        """Keep one and return its id; the same body again only counts."""
        ...

    async def kept(self, tenants: Sequence[str], limit: int) -> list[RawEvent]:
        """Return the latest of the tenants' accounts, newest first."""
        ...

    async def body(self, tenants: Sequence[str], event_id: str) -> bytes | None:
        """Return what was received; None for an unknown id, or one of another tenant."""
        ...

    async def prune(self, tenant: str, before: datetime) -> int:
        """Drop those of all accounts of a tenant that came before a time; return how many."""
        ...


class Identities(Protocol):
    """Which ids are one person's, and which are ours; shared by all processes."""

    async def resolve(self, tenant: str, channel: str, ids: Collection[str]) -> Mapping[str, str]:
        """Return hidden id -> the id that stands for it, for those of the ids that are known."""
        ...

    async def aliases(self, tenant: str, channel: str, canonical: str) -> frozenset[str]:
        """Return the hidden ids that an id stands for."""
        ...

    async def learn(self, pairs: Sequence[Pair], how: str, told_by: str = "") -> list[Pair]:
        """Remember pairs and return the new ones. What contradicts a known pair is left out.

        `told_by`: the uid of the message that came with them; none is learned of an erased one.
        """
        ...

    async def unjoined(self, tenant: str, limit: int) -> list[Pair]:
        """Return pairs whose two histories may still be apart, oldest first."""
        ...

    async def joined(self, pair: Pair) -> None:
        """Note that a pair's histories are one."""
        ...

    async def remember_own(self, channel: str, account: str, own_ids: Collection[str]) -> None:
        """Remember the ids of one of our accounts."""
        ...

    async def other_own(self, channel: str, account: str) -> frozenset[str]:
        """Return the ids of our other accounts on a channel."""
        ...


class Moves(Protocol):
    """Moving what the ledger holds when a chat or a person turns out to have another id."""

    async def announce(self, old: ChatRef, new: ChatRef) -> None:
        """Remember durably that a chat moved; announcing it again changes nothing."""
        ...

    async def announced(self, tenant: str, limit: int) -> list[tuple[ChatRef, ChatRef]]:
        """Return announced moves (old, new) that are not done, oldest first."""
        ...

    async def done(self, old: ChatRef) -> None:
        """Note that an announced move is done."""
        ...

    async def chats(
        self, tenant: str, channel: str, chat_id: str, account: str | None = None
    ) -> list[ChatRef]:
        """Return the stored chats with this id, on any account or on one, in any topic."""
        ...

    async def is_busy(self, chat: ChatRef) -> bool:
        """Tell whether a turn of the chat has begun and not ended."""
        ...

    async def move(self, old: ChatRef, new: ChatRef) -> bool:
        """Give a chat's transcript, turns, receipts and outbox to another, in order of arrival.

        All or nothing; False when there is nothing to move. The caller holds both chats' locks.
        """
        ...

    async def rename_contact(self, tenant: str, channel: str, alias: str, canonical: str) -> None:
        """Let all that one id of a person said be said by the other, in every chat.

        What is set for the one holds for the other: blocks, who is allowed, what is never kept.
        """
        ...

    async def rename_anchor(self, tenant: str, old: str, new: str) -> None:
        """Let what belongs to one anchor belong to another."""
        ...
