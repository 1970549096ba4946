"""The ledger in dictionaries, and what is found in it by words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from memory.domain.chats import Actor, ChatRef, Message, Recorded, StoredMessage
from memory.domain.projections import Arrears, Generation, Owed, ProjectionName
from memory.domain.recalls import (
    Audience,
    Hit,
    Lexical,
    Line,
    Receipt,
)
from memory.domain.work import Claim
from memory.facts.entities.linking import LINKING_VERSION
from memory.facts.learning import RULES_VERSION
from tests.fakes.vectors import LETTERS
from tests.messages import START

TENANT = "t"


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
