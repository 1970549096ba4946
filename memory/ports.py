"""Ports of the memory layers. Adapters live in folders named for their technology.

Every method is scoped to one tenant; nothing here reads across tenants (C8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from memory.domain import (
    Audible,
    ChatRef,
    ContactObservations,
    Fact,
    Hit,
    Message,
    Observation,
    Place,
    Receipt,
    Recorded,
    StoredMessage,
    Turn,
    TurnState,
    VectorItem,
    Waiting,
)

VectorKind = Literal["message", "knowledge"]


class Clock(Protocol):
    """The current time, injected so that tests own it."""

    def __call__(self) -> datetime:
        """Return now, timezone-aware UTC."""
        ...


class Ids(Protocol):
    """Fresh unique ids, injected so that tests own them."""

    def __call__(self) -> str:
        """Return a new UUID string."""
        ...


class Ledger(Protocol):
    """The transcript: the single source of truth of what was said (W2)."""

    async def record(
        self,
        messages: Sequence[Message],
        *,
        history: bool = False,
        arrived_at: datetime | None = None,
    ) -> list[Recorded]:
        """Store messages; one already stored is left as it is. Results in input order.

        Contacts' messages and the owner's commands (`Message.awaits_turn`) wait for a turn, unless
        they are `history`, which is never answered. `arrived_at`: None for the database's clock.
        """
        ...

    async def claim(self, turn_id: str, message: Message) -> list[StoredMessage]:
        """Claim `message` and whatever is pending from its sender in its chat, oldest first.

        The same turn claims the same rows again after a retry. Empty when another turn holds
        `message` already: then it is a duplicate.
        """
        ...

    async def pending(self, chat: ChatRef, limit: int | None = None) -> list[StoredMessage]:
        """Return what waits for a turn in a chat, in order of arrival; `limit` stops early."""
        ...

    async def claim_also(self, turn_id: str, uids: Sequence[str]) -> list[StoredMessage]:
        """Claim more pending messages for a running turn; those of other turns are left out."""
        ...

    async def withhold(self, tenant: str, uids: Sequence[str]) -> None:
        """Keep messages out of every search: they stay in the transcript and are not recalled."""
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

    async def messages(
        self, tenant: str, uids: Sequence[str], around: int = 0
    ) -> list[StoredMessage]:
        """Return the messages with these uids and `around` neighbours each, in chat order."""
        ...

    async def quoted(self, chat: ChatRef, message_id: str, before: int) -> list[StoredMessage]:
        """Return a quoted message preceded by up to `before` lines; empty when unknown (N4)."""
        ...

    async def finish(
        self,
        turn_id: str,
        reply: Message | None,
        receipt: Receipt | None,
        parts: Sequence[str] = (),
    ) -> None:
        """End a turn: reply, receipt and an outbox row for each part, all or nothing, once.

        `parts` are what is sent, in the channel's markup; none where the caller hands the reply
        over itself.
        """
        ...


class Turns(Protocol):
    """The state of turns, for whoever runs or inspects them."""

    async def waiting(self, chat: ChatRef, limit: int) -> list[Waiting]:
        """Return what waits for a turn in a chat, by sender, whoever wrote first coming first."""
        ...

    async def count_pending(self, tenants: Sequence[str]) -> int:
        """Return how many messages no turn has claimed yet."""
        ...

    async def count_failed(self, tenants: Sequence[str]) -> int:
        """Return how many turns have failed and were not tried again with success."""
        ...

    async def in_state(self, tenant: str, state: TurnState) -> list[Turn]:
        """Return the turns in a state, oldest first."""
        ...

    async def fail(self, turn_id: str, reason: str) -> None:
        """Mark a turn failed, with a reason fit for the owner's eyes."""
        ...

    async def release(self, turn_id: str) -> list[StoredMessage]:
        """Give a failed turn's messages back so that a new turn can claim them."""
        ...

    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        """Return the chat's latest receipts, newest first."""
        ...

    async def chats(self, tenant: str, channel: str, account: str) -> list[ChatRef]:
        """Return the chats of a channel account, the one with the newest message first."""
        ...


class LexicalIndex(Protocol):
    """Exact BM25 over what contacts said, within a scope, and where messages stand in it."""

    async def search(
        self, tenant: str, anchors: Sequence[str], query: str, limit: int
    ) -> list[Hit]:
        """Return at most `limit` message uids, best first; empty when no term matches."""
        ...

    async def audible(
        self, tenant: str, contact_id: str, anchor: str, uids: Sequence[str]
    ) -> Audible:
        """Tell whether contacts said anything in the anchor beside the messages of these uids.

        With it come the further anchors that this contact may hear in a direct chat; none for an
        empty `contact_id`.
        """
        ...

    async def places(self, tenant: str, uids: Sequence[str]) -> list[Place]:
        """Return where these messages stand, in no order; an unknown uid is left out."""
        ...


class FactStore(Protocol):
    """Deterministic facts with history (L2, L3). Two backends, one contract."""

    async def active(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return active facts, by importance (highest first), then oldest first."""
        ...

    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> list[Fact]:
        """Apply one message's observations in one transaction; return the facts that became active.

        Applying the same observations again changes nothing.
        """
        ...

    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> list[Fact]:
        """Apply many messages' observations in order, in one transaction.

        The same outcome as `apply` message by message. Returns the facts that became active.
        """
        ...

    async def history(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return every fact ever recorded, rejected ones included, oldest first."""
        ...

    async def retract(
        self, tenant: str, contact_id: str, fact_ids: Sequence[str], now: datetime
    ) -> int:
        """Close active facts whose source is gone; return how many were active."""
        ...

    async def join(self, tenant: str, source: str, target: str, now: datetime) -> int:
        """Give one contact's facts, history included, to another; return how many moved.

        One transaction. Where both hold a value for one slot, the rules of supersession decide as
        if both had been told to one contact. The anchor of a direct chat moves along.
        """
        ...

    async def rename(self, tenant: str, old_anchor: str, new_anchor: str) -> int:
        """Give an anchor's facts another anchor; return how many there were."""
        ...

    async def forget(self, tenant: str, contact_id: str) -> int:
        """Erase everything about a contact; return how many facts went."""
        ...


class VectorIndex(Protocol):
    """Vectors by kind, scoped by tenant and anchor: ids and scope only, never text (X4)."""

    async def upsert(self, tenant: str, kind: VectorKind, items: Sequence[VectorItem]) -> None:
        """Store vectors; an id already there is replaced."""
        ...

    async def search(
        self,
        tenant: str,
        kind: VectorKind,
        anchors: Sequence[str],
        vector: Sequence[float],
        limit: int,
    ) -> list[Hit]:
        """Return at most `limit` items of the anchors by cosine similarity, best first."""
        ...

    async def delete(self, tenant: str, kind: VectorKind, anchor: str) -> None:
        """Remove an anchor's vectors."""
        ...

    async def delete_items(
        self, tenant: str, kind: VectorKind, anchor: str, item_ids: Sequence[str]
    ) -> None:
        """Remove single items of an anchor with all their chunks."""
        ...

    async def rename(
        self,
        tenant: str,
        kind: VectorKind,
        old_anchor: str,
        new_anchor: str,
        values: Mapping[str, str],
    ) -> None:
        """Give an anchor's vectors to another anchor; an id that is there already is replaced.

        Metadata that equals a key of `values` becomes its value. Interrupted, it can be run again.
        """
        ...

    async def count(self, tenant: str, kind: VectorKind) -> int:
        """Return how many vectors a tenant has."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. The fingerprint names model, dimension and normalisation."""

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors this embedder makes, e.g. `all-MiniLM-L6-v2/384/l2`."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order. Long texts must be split before."""
        ...
