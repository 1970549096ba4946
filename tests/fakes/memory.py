"""Memory without servers: the ports that nodes use, in dictionaries, and a context around them.

What decides is the product's own pure code (policies, supersession); only storing is ours. Ports
that no node touches are left out: whoever calls them gets an AttributeError.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from memory.domain.chats import Actor, ChatRef, Message, Recorded, StoredMessage
from memory.domain.projections import Arrears, Generation, Owed, ProjectionName
from memory.domain.recalls import (
    Audience,
    Filed,
    Hit,
    Lexical,
    Line,
    Receipt,
    VectorItem,
)
from memory.domain.work import AuditLine, Claim
from memory.facts.entities.linking import LINKING_VERSION
from memory.facts.learning import RULES_VERSION, Learner
from memory.policy.rules import (
    BadPolicy,
    Layer,
    LayerVersion,
    Pause,
    PauseKind,
    Policy,
    ReplyPolicy,
    Standing,
    merge,
    scopes_of,
)
from memory.ports.bundle import Memory
from memory.ports.chat_states import ChatState
from memory.ports.outages import Outages
from memory.projection.fact_vectors import FactVectors
from memory.projection.facts import ContactFacts
from memory.projection.projector import Projector
from memory.projection.vectors import MessageVectors
from memory.text.chunks import item_of_chunk
from nodes.context import Context, Options
from nodes.secrets import Secrets
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.embedding import WithoutPieces
from tests.fakes.facts import (
    MemoryClaims,
    MemoryCorrections,
    MemoryFacts,
    NoEpisodes,
    NoMarks,
    NoNotes,
    NoRules,
)
from tests.messages import START

TENANT = "t"
LETTERS = "letters/26"


class MemoryBacklog:
    """What is owed, by projection. Nobody else takes any."""

    def __init__(self) -> None:
        self.owed_items: dict[ProjectionName, dict[str, int]] = {
            "vectors": {},
            "facts": {},
            "fact_vectors": {},
            "entities": {},
            "contact_states": {},
        }

    async def generations(self) -> list[Generation]:
        makers = {"facts": RULES_VERSION, "entities": LINKING_VERSION}
        return [Generation(n, 1, makers.get(n, LETTERS), is_serving=True) for n in self.owed_items]

    async def owe(
        self, tenant: str, projections: Sequence[ProjectionName], items: Sequence[str]
    ) -> None:
        for name in projections:
            for item in items:
                self.owed_items[name][item] = self.owed_items[name].get(item, 0) + 1

    async def take(self, projection: ProjectionName, *_: object, early: bool = False) -> list[Owed]:
        return [Owed(TENANT, *pair) for pair in self.owed_items[projection].items()]

    async def take_these(
        self, projection: ProjectionName, generation: int, tenant: str, owner: str, items: list[str]
    ) -> list[Owed]:
        owed = self.owed_items[projection]
        return [Owed(tenant, item, owed[item]) for item in items if item in owed]

    async def postpone(self, tenant: str, items: Sequence[str], wait_s: float) -> None:
        return

    async def done(
        self, projection: ProjectionName, generation: int, taken: Sequence[Owed]
    ) -> None:
        for each in taken:
            if self.owed_items[projection].get(each.item) == each.version:
                del self.owed_items[projection][each.item]

    async def strike_out_said(
        self, projection: ProjectionName, tenant: str, uids: Sequence[str]
    ) -> None:
        for uid in uids:
            self.owed_items[projection].pop(uid, None)

    async def give_back(self, *_: object) -> None:
        return

    async def arrears(self, tenants: Sequence[str]) -> dict[ProjectionName, Arrears]:
        return {name: Arrears(len(items), 0) for name, items in self.owed_items.items()}


class MemoryLedger:
    """The transcript and the turns over it."""

    def __init__(self) -> None:
        self.rows: dict[str, StoredMessage] = {}
        self.pending_uids: set[str] = set()
        self.finished: dict[
            str, tuple[tuple[Message, ...], Receipt | None, dict[str, tuple[str, ...]]]
        ] = {}
        self.backlog = MemoryBacklog()

    async def record(
        self,
        messages: Sequence[Message],
        *,
        history: bool = False,
        arrived_at: datetime | None = None,
        look_in_s: float | None = None,
        about: str = "",
    ) -> list[Recorded]:
        del look_in_s, about
        done = []
        for message in messages:
            is_new = message.uid not in self.rows
            if is_new:
                seq = len(self.rows) + 1
                at = arrived_at or START
                position = 1 + sum(r.message.chat == message.chat for r in self.rows.values())
                self.rows[message.uid] = StoredMessage(message, seq, position, at)
                if message.awaits_turn and not history:
                    self.pending_uids.add(message.uid)
            done.append(Recorded(message.uid, self.rows[message.uid].seq, is_new))
        return done

    async def contact_of(self, chat: ChatRef) -> str:
        in_chat = (r.message for r in self.rows.values() if r.message.chat == chat)
        return next(("" if m.is_group else m.contact_id for m in in_chat), "")

    async def claim(
        self, turn_id: str, message: Message, *, after: int = 0, window: int = 0
    ) -> Claim:
        row = self.rows.get(message.uid)
        if row is None or not (row.uid in self.pending_uids or row.turn_id == turn_id):
            return Claim()
        in_chat = [r for r in self.rows.values() if r.message.chat == message.chat]
        for each in in_chat:
            is_senders = each.message.sender_id == message.sender_id
            if each.uid in self.pending_uids and is_senders:
                self._take(turn_id, each.uid)
        mine = [
            r
            for r in self._of(message.chat)
            if r.turn_id == turn_id and r.message.actor is not Actor.AGENT
        ]
        lines = [
            r
            for r in self._of(message.chat)
            if r.seq > after and not r.withheld and r.message.actor is not Actor.SYSTEM
        ]
        return Claim(
            said=tuple(r for r in mine if r.message.sender_id == message.sender_id),
            along=tuple(r for r in mine if r.message.sender_id != message.sender_id),
            window=tuple(lines[-window:] if window else ()),
        )

    async def pending(self, chat: ChatRef, limit: int | None = None) -> list[StoredMessage]:
        return [r for r in self._of(chat) if r.uid in self.pending_uids][:limit]

    async def claim_also(
        self, tenant: str, turn_id: str, uids: Sequence[str]
    ) -> list[StoredMessage]:
        for uid in uids:
            self._take(turn_id, uid)
        return [self.rows[uid] for uid in uids]

    async def withhold(self, tenant: str, uids: Sequence[str]) -> None:
        for uid in uids:
            row = self.rows[uid]
            self.rows[uid] = replace(row, message=replace(row.message, withheld=True))

    async def messages(
        self, tenant: str, uids: Sequence[str], with_neighbours: Collection[str] = ()
    ) -> list[StoredMessage]:
        hits = [self.rows[uid] for uid in (*uids, *with_neighbours) if uid in self.rows]
        return [
            row
            for row in sorted(self.rows.values(), key=lambda r: r.seq)
            if any(
                row.message.chat == hit.message.chat
                and abs(row.position - hit.position) <= (hit.uid in with_neighbours)
                for hit in hits
            )
        ]

    async def quoted(self, chat: ChatRef, message_id: str, before: int) -> list[StoredMessage]:
        rows = self._of(chat)
        at = next((i for i, r in enumerate(rows) if r.message.message_id == message_id), None)
        return [] if at is None else rows[max(at - before, 0) : at + 1]

    async def finish(
        self,
        tenant: str,
        turn_id: str,
        replies: Sequence[Message] = (),
        receipt: Receipt | None = None,
        parts: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        if turn_id not in self.finished:
            sent = {uid: tuple(texts) for uid, texts in parts.items()}
            self.finished[turn_id] = (tuple(replies), receipt, sent)
            await self.record(replies, history=True)
            claimed = [row for row in self.rows.values() if row.turn_id == turn_id]
            uids = [r.uid for r in claimed if r.message.actor is Actor.CONTACT and not r.withheld]
            await self.backlog.owe(tenant, ("vectors", "facts"), uids)

    async def before(self, tenant: str, uids: Sequence[str]) -> dict[str, str]:
        return {}

    async def own_lines(
        self, tenant: str, uids: Sequence[str], *, after: bool = False
    ) -> dict[str, list[StoredMessage]]:
        return {}

    async def settled(self, tenant: str, uids: Sequence[str]) -> list[StoredMessage]:
        running = {r.turn_id for r in self.rows.values()} - {None} - self.finished.keys()
        return [
            row
            for uid in uids
            if (row := self.rows.get(uid))
            and uid not in self.pending_uids
            and row.turn_id not in running
        ]

    def _take(self, turn_id: str, uid: str) -> None:
        self.pending_uids.discard(uid)
        self.rows[uid] = replace(self.rows[uid], turn_id=turn_id)

    def _of(self, chat: ChatRef) -> list[StoredMessage]:
        return [r for r in self.rows.values() if r.message.chat == chat]


@dataclass(frozen=True)
class MemoryPolicies:
    """Layers by scope, every change a version."""

    defaults: Policy = field(default_factory=Policy)
    versions: list[tuple[LayerVersion, str]] = field(default_factory=list)
    pauses: MemoryPauses = field(default_factory=lambda: MemoryPauses())  # noqa: PLW0108 defined below

    async def resolve(self, chat: ChatRef) -> Policy:
        newest = await self.newest(chat.tenant, scopes_of(chat))
        return merge(self.defaults, [version.layer for version in newest])

    async def standing(self, chat: ChatRef, after: datetime) -> Standing:
        pauses = await self.pauses.lasting(chat.tenant, scopes_of(chat)[-1], after)
        return Standing(await self.resolve(chat), tuple(pauses))

    def based_on(self, *, reply_direct: ReplyPolicy, reply_group: ReplyPolicy) -> MemoryPolicies:
        given = replace(self.defaults, reply_direct=reply_direct, reply_group=reply_group)
        return replace(self, defaults=given)

    async def newest(self, tenant: str, scopes: Sequence[str] | None = None) -> list[LayerVersion]:
        by_scope = {version.scope: version for version, _ in self.versions}
        return [by_scope[s] for s in sorted(by_scope) if scopes is None or s in scopes]

    async def change(
        self,
        tenant: str,
        edits: Mapping[str, Callable[[Layer], Layer]],
        by: str,
        at: datetime,
        source: str = "",
    ) -> list[LayerVersion]:
        made = [version for version, of in self.versions if source and of == source]
        if made:
            return made
        for scope, edit in edits.items():
            (before,) = await self.newest(tenant, [scope]) or [
                LayerVersion(scope, 0, Layer(), "", at)
            ]
            layer = edit(before.layer)
            if layer != before.layer:
                made.append(LayerVersion(scope, before.version + 1, layer, by, at))
        self.versions.extend((version, source) for version in made)
        return made


class MemoryPauses:
    """Pauses by the message that began them."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, Pause, str]] = {}

    async def begin(
        self,
        tenant: str,
        scope: str,
        source: str,
        kind: PauseKind,
        began_at: datetime,
        ends_at: datetime | None,
    ) -> None:
        self.rows.setdefault(source, (scope, Pause(kind, began_at, ends_at), ""))

    async def end(self, tenant: str, scope: str, at: datetime, source: str) -> int:
        done = [key for key, (of, _, by) in self.rows.items() if of == scope and by == source]
        if done:
            return len(done)
        for key, (of, pause, _) in self.rows.items():
            if of == scope and (pause.ends_at is None or pause.ends_at > at):
                self.rows[key] = (of, replace(pause, ends_at=max(pause.began_at, at)), source)
                done.append(key)
        return len(done)

    async def lasting(self, tenant: str, scope: str, after: datetime) -> list[Pause]:
        return [
            pause
            for of, pause, _ in self.rows.values()
            if of == scope and (pause.ends_at is None or pause.ends_at > after)
        ]


class PausesAlone:
    """Chats of which nothing is kept behind their turns, and that may be paused."""

    def __init__(self, pauses: MemoryPauses) -> None:
        self._pauses = pauses

    async def of(
        self, chat: ChatRef, now: datetime, episodes: int, loops: int, over: Collection[str] = ()
    ) -> ChatState:
        lasting = await self._pauses.lasting(chat.tenant, scopes_of(chat)[-1], now)
        return ChatState(pauses=lasting)


class MemoryTurns:
    """The receipts of ended turns."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger

    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        return [filed.receipt for filed in self._filed() if filed.chat == chat][:limit]

    async def filed(
        self, tenant: str, limit: int, *, chat: str = "", turn_id: str = ""
    ) -> list[Filed]:
        return [
            filed
            for filed in self._filed()
            if filed.chat.tenant == tenant
            and chat in ("", filed.chat_name)
            and turn_id in ("", filed.receipt.turn_id)
        ][:limit]

    def _filed(self) -> list[Filed]:
        return [
            Filed(receipt, replies[-1].chat, replies[-1].contact_id)
            for replies, receipt, _ in reversed(self._ledger.finished.values())
            if receipt is not None
        ]


class MemoryAudit:
    """Lines, each once for its turn."""

    def __init__(self) -> None:
        self.lines: list[AuditLine] = []

    async def write(self, lines: Sequence[AuditLine]) -> None:
        known = {(x.turn_id, x.kind, x.outcome, x.detail) for x in self.lines}
        self.lines += [x for x in lines if (x.turn_id, x.kind, x.outcome, x.detail) not in known]


class MemoryLexical:
    """Messages by the words that they share with a query."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger

    def _heard(self, anchors: Sequence[str]) -> list[StoredMessage]:
        return [
            r
            for r in self._ledger.rows.values()
            if r.message.anchor in anchors and r.message.actor is Actor.CONTACT and not r.withheld
        ]

    async def search(self, tenant: str, anchors: Sequence[str], query: str, limit: int) -> Lexical:
        wanted = set(query.casefold().split())
        held = {r.uid: wanted & _words(r) for r in self._heard(anchors)}
        best = Counter({uid: len(words) for uid, words in held.items()}).most_common(limit)
        return Lexical(
            tuple(Hit(uid, float(score)) for uid, score in best if score),
            len(held),
            spread=Counter(word for words in held.values() for word in words),
        )

    async def audience(
        self, tenant: str, contact_id: str, anchor: str, uids: Sequence[str], asker: str = ""
    ) -> Audience:
        return Audience(any(r.uid not in uids for r in self._heard([anchor])))

    async def lines(
        self,
        tenant: str,
        anchors: Sequence[str],
        uids: Sequence[str],
        terms: Sequence[str],
        *,
        reach: int = 0,
        space: str = "",
    ) -> list[Line]:
        found = [r for r in self._heard(anchors) if r.uid in uids]
        near = {
            (r.message.chat.thread_id, r.position + step)
            for r in found
            for step in range(-reach, reach + 1)
        }
        return [
            Line(
                r.uid,
                r.message.chat.thread_id,
                r.position,
                r.message.sent_at,
                r.message.sender_name,
                r.message.contact_id,
                r.message.text,
                terms=dict.fromkeys(_words(r) & set(terms), 1),
                length=len(_words(r)),
            )
            for r in self._heard(anchors)
            if (r.message.chat.thread_id, r.position) in near
        ]


def _words(stored: StoredMessage) -> set[str]:
    return set(stored.message.text.casefold().split())


class MemoryVectors:
    """Vectors by kind and id; a search finds what has the query's vector."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], VectorItem] = {}

    async def upsert(self, tenant: str, kind: str, items: Sequence[VectorItem]) -> None:
        self.items |= {(kind, item.item_id): item for item in items}

    async def search(
        self, tenant: str, kind: str, anchors: Sequence[str], vector: Sequence[float], limit: int
    ) -> list[Hit]:
        return [
            Hit(item.item_id.rpartition("#")[0] or item.item_id, 1.0)
            for (of, _), item in self.items.items()
            if of == kind and item.anchor in anchors and item.vector == tuple(vector)
        ][:limit]

    def of(self, generation: int) -> MemoryVectors:
        return self

    def serve(self, kind: str, generation: int) -> None:
        return

    async def present(
        self, tenant: str, kind: str, items: Sequence[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        return {pair for pair in items if (kind, pair[1]) in self.items}

    async def delete(self, tenant: str, kind: str, anchor: str) -> None:
        gone = [key for key, item in self.items.items() if (key[0], item.anchor) == (kind, anchor)]
        for key in gone:
            del self.items[key]

    async def delete_known(self, tenant: str, contact_id: str) -> None:
        for key, item in list(self.items.items()):
            if key[0] == "knowledge" and item.metadata.get("contact") == contact_id:
                del self.items[key]

    async def delete_items(
        self, tenant: str, kind: str, anchor: str, item_ids: Sequence[str]
    ) -> None:
        for key in list(self.items):
            if key[0] == kind and item_of_chunk(key[1]) in item_ids:
                del self.items[key]


class Gone:
    """A store that cannot be reached, or hangs, whatever it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked = 0
        self.fingerprint, self.dimension, self.token_space = LETTERS, 26, ""

    def __getattr__(self, name: str) -> Any:
        async def call(*_: object) -> object:
            self.asked += 1
            if self.error is None:
                await asyncio.sleep(60)
                return None
            raise self.error

        return call


class LetterEmbedder(WithoutPieces):
    """A vector of how often each letter stands in a text."""

    fingerprint = LETTERS
    dimension = 26

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        return [tuple(float(text.casefold().count(x)) for x in letters) for text in texts]


class NoPersonas:
    """A folder without files."""

    async def text(self, name: str) -> str:
        raise BadPolicy(f"there is no persona file {name} in the persona folder")


class NoEchoes:
    """An outbox from which nothing was sent."""

    async def match_echo(self, message: Message) -> bool:
        return False


@dataclass
class World:
    """A memory without servers, with what a test looks at, and the context of its nodes."""

    options: Options = field(default_factory=lambda: Options(tenant="t"))
    model: BaseChatModel = field(default_factory=ScriptedChatModel)
    now: datetime = START + timedelta(minutes=30)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    facts: MemoryFacts = field(default_factory=MemoryFacts)
    claims: MemoryClaims = field(default_factory=MemoryClaims)
    vectors: MemoryVectors = field(default_factory=MemoryVectors)
    policies: MemoryPolicies = field(default_factory=MemoryPolicies)
    audit: MemoryAudit = field(default_factory=MemoryAudit)
    outages: Outages = field(default_factory=Outages)

    @property
    def memory(self) -> Memory:
        """The bundle that nodes are given."""
        parts: dict[str, Any] = {
            "ledger": self.ledger,
            "facts": self.facts,
            "all_facts": self.facts,
            "marks": NoMarks(),
            "rules": NoRules(),
            "reader": Learner(),
            "corrections": MemoryCorrections(),
            "notes": NoNotes(),
            "episodes": NoEpisodes(),
            "chat_states": PausesAlone(self.policies.pauses),
            "claims": self.claims,
            "vectors": self.vectors,
            "policies": self.policies,
            "pauses": self.policies.pauses,
            "audit": self.audit,
            "turns": MemoryTurns(self.ledger),
            "lexical": MemoryLexical(self.ledger),
            "embedder": LetterEmbedder(),
            "personas": NoPersonas(),
            "outbox": NoEchoes(),
            "backlog": self.ledger.backlog,
            "outages": self.outages,
            "rewriter": None,
            "reranker": None,
        }
        return cast("Memory", SimpleNamespace(**parts))

    @property
    def projector(self) -> Projector:
        """What keeps vectors and facts in line with the ledger."""
        memory = self.memory
        parts = (
            MessageVectors(memory),
            ContactFacts(memory, lambda: self.now),
            FactVectors(memory),
        )
        return Projector(memory, parts, [TENANT])

    def runtime(self) -> Runtime[Context]:
        """Return what a node is called with; ids count from 1."""
        numbers = count(1)
        return Runtime(
            context=Context(
                options=self.options,
                memory=self.memory,
                projector=self.projector,
                model=self.model,
                clock=lambda: self.now,
                ids=lambda: f"00000000-0000-0000-0000-{next(numbers):012d}",
                secrets=Secrets(("sk-secret-1",)),
            )
        )
