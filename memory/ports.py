"""Ports of the memory layers. Adapters live in folders named for their technology.

Every method is scoped to one tenant; nothing here reads across tenants (C8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from memory.domain import (
    AuditLine,
    ChatRef,
    ContactObservations,
    Delivery,
    DeliveryStatus,
    Fact,
    Hit,
    JobCounts,
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
from memory.policy import Layer, LayerVersion, Pause, PauseKind, Policy

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


class Jobs(Protocol):
    """Which chats a worker has to look at, and when. What there is to do, the ledger says."""

    async def schedule(self, chat: ChatRef, delay_s: float = 0.0) -> None:
        """Let a worker look at the chat after a while; an earlier time that is set stays."""
        ...

    async def postpone(self, chat: ChatRef, delay_s: float, failures: int) -> None:
        """Let a worker look at the chat after a while, and no sooner; it failed so often."""
        ...

    async def suspects(self, tenants: Sequence[str], grace_s: float) -> set[int]:
        """Return jobs that began longer ago than `grace_s` and whose chat's lock nobody holds.

        Their worker is dead, or is just about to end them.
        """
        ...

    async def rescue(self, tenants: Sequence[str], job_ids: Collection[int]) -> int:
        """Give the chats of those suspects that are suspects still to other workers.

        Returns how many chats there were.
        """
        ...

    async def orphans(
        self, tenants: Sequence[str], channels: Sequence[str], limit: int
    ) -> list[ChatRef]:
        """Return chats with messages that wait for a turn and no job that will look at them."""
        ...

    async def abandoned(
        self, tenants: Sequence[str], channels: Sequence[str], thread_ids: Sequence[str]
    ) -> list[ChatRef]:
        """Return those of the threads' chats that no job will look at.

        Left out are chats whose newest turn failed: those wait for the owner.
        """
        ...

    async def counts(self, tenants: Sequence[str]) -> JobCounts:
        """Return how many jobs wait and how many run."""
        ...


class Outbox(Protocol):
    """Replies on their way out.

    A row moves queued -> sending -> sent, or back to queued, or to unknown, failed or expired.
    """

    async def take(
        self,
        tenants: Sequence[str],
        channels: Sequence[str],
        owner: str,
        *,
        pace_ms: int = 0,
        not_before: datetime | None = None,
        at: datetime | None = None,
    ) -> Delivery | None:
        """Mark the oldest due delivery `sending` by `owner`; None when there is none.

        A chat's deliveries leave in order, one at a time, `pace_ms` apart; one that was created
        before `not_before` is left. `at` is now by the caller's clock (None: the database's), to
        be compared with the channel's times. The caller holds the lock named `owner` from before
        until the attempt is settled.
        """
        ...

    async def settle(
        self,
        delivery: Delivery,
        status: DeliveryStatus,
        sent_message_id: str = "",
        *,
        wait_s: float = 0.0,
    ) -> None:
        """Record the outcome of an attempt: sent, queued (try again later), unknown or failed.

        `wait_s`: how long the channel asked us to wait at least. Nothing changes when a later
        attempt has begun or an echo has confirmed the delivery.
        """
        ...

    async def interrupted(
        self, tenants: Sequence[str], channels: Sequence[str], doubt_s: float
    ) -> list[Delivery]:
        """Return attempts older than `doubt_s` whose owner's lock nobody holds, oldest first.

        One that a look-up has missed comes again only `doubt_s` after that.
        """
        ...

    async def miss(self, delivery: Delivery) -> None:
        """Record that a look-up did not find an attempt of open outcome."""
        ...

    async def hasten(self, tenant: str, channel: str, account: str) -> int:
        """Make due soon what waits to be tried again on an account; return how many."""
        ...

    async def expire(self, tenants: Sequence[str], before: datetime, limit: int) -> list[Delivery]:
        """Mark queued deliveries that were created before a time expired, and return them."""
        ...

    async def known_ids(self, delivery: Delivery, message_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that belong to another delivery of the same chat."""
        ...

    async def counts(self, tenants: Sequence[str]) -> dict[DeliveryStatus, int]:
        """Return how many deliveries are in each status; a status with none is left out."""
        ...

    async def match_echo(self, message: Message) -> bool:
        """Tell whether an own-account message is an echo of a delivery, and confirm that one.

        By its id, else by chat and text within a time window. A delivery is echoed under its own
        id and at most one other.
        """
        ...

    async def listing(
        self, tenant: str, status: DeliveryStatus, limit: int = 1000
    ) -> list[Delivery]:
        """Return deliveries in a status, oldest first."""
        ...

    async def blank_settled(self, tenants: Sequence[str], before: datetime) -> int:
        """Drop the texts of deliveries that were sent or expired before a time; return how many.

        The reply itself is in the ledger; the row stays for quotes and late echoes.
        """
        ...

    async def delete_settled(self, tenants: Sequence[str], before: datetime) -> int:
        """Delete deliveries that were sent or expired before a time; return how many."""
        ...


class LexicalIndex(Protocol):
    """Exact BM25 over what contacts said, within a scope, and where messages stand in it."""

    async def search(
        self, tenant: str, anchors: Sequence[str], query: str, limit: int
    ) -> list[Hit]:
        """Return at most `limit` message uids, best first; empty when no term matches."""
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


class Policies(Protocol):
    """Layers of rules by scope, every change a version (N5)."""

    async def resolve(self, chat: ChatRef) -> Policy:
        """Return what holds in a chat now: the defaults, its channel's layer, its own over it."""
        ...

    async def newest(self, tenant: str, scopes: Sequence[str] | None = None) -> list[LayerVersion]:
        """Return the newest version of these scopes, or of all; an unknown scope is left out.

        In order of scope, so that a channel comes before its chats.
        """
        ...

    async def history(self, tenant: str, scope: str) -> list[LayerVersion]:
        """Return every version of a scope, oldest first."""
        ...

    async def change(
        self, tenant: str, edits: Mapping[str, Callable[[Layer], Layer]], by: str, at: datetime
    ) -> list[LayerVersion]:
        """Edit the layers of scopes, all or none; return the new versions.

        An edit that changes nothing makes no version.
        """
        ...


class Pauses(Protocol):
    """When the agent keeps out of a chat, by the chat's scope."""

    async def hold(
        self,
        tenant: str,
        scope: str,
        source: str,
        kind: PauseKind,
        began_at: datetime,
        ends_at: datetime | None,
    ) -> None:
        """Pause a chat because of the message `source`, once; None: until `end`."""
        ...

    async def end(self, tenant: str, scope: str, at: datetime) -> int:
        """End every pause of a chat that lasts longer; return how many did."""
        ...

    async def lasting(self, tenant: str, scope: str, after: datetime) -> list[Pause]:
        """Return the pauses of a chat that end after a time, or never, in order of beginning."""
        ...


class Audit(Protocol):
    """What checks, the gate and commands decided. Never a text of anybody (N7)."""

    async def write(self, lines: Sequence[AuditLine]) -> None:
        """Keep lines; one that its turn has already is not kept again."""
        ...

    async def listing(self, tenant: str, limit: int) -> list[AuditLine]:
        """Return the latest lines, newest first."""
        ...


class Personas(Protocol):
    """Persona files, by name."""

    async def text(self, name: str) -> str:
        """Return a persona's text as it is now.

        Raises:
            BadPolicy: there is no such file, or it cannot be read; one line that says what to do.
        """
        ...
