"""Episodes on real stores: they follow the ledger, whatever order it learns of things in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.episodes import Episode
from memory.domain.projections import ANEW, CHAT
from memory.minilm.recall import fingerprint
from memory.projection.episodes import ChatEpisodes
from memory.trust.verify import verify
from server.work.upkeep import keep_up
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.embedding import WithoutPieces
from tests.fakes.reader import ScriptedReader
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio

NOW = START + timedelta(days=60)
NOW_MINUTES = 60 * 24 * 60 - 100
TOPICS = {
    "kitchen": "the kitchen tiles in the {} corner need more grey paint before we move",
    "train": "our train to the {} coast was late and everyone stood for hours",
    "bread": "she bakes bread with {} flour and lets the dough rest over night",
}
KINDS = ("north", "south", "east", "west", "upper", "lower", "inner", "outer")


class TopicEmbedder(WithoutPieces):
    """Puts each text near its topic's axis, with a little of its own; counts what it reads."""

    # The servers are shared with tests on the embedder that ships.
    fingerprint = fingerprint()
    dimension = 384

    def __init__(self) -> None:
        self.read_texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.read_texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> tuple[float, ...]:
        vector = [0.004] * self.dimension
        for place, topic in enumerate(TOPICS):
            if topic in text or any(w in text.split() for w in TOPICS[topic].split()[1:2]):
                vector[place] = 1.0
        vector[3 + sum(map(ord, text)) % 13] += 0.05
        norm = sum(one * one for one in vector) ** 0.5
        return tuple(one / norm for one in vector)


@dataclass
class Room:
    """A chat on open stores, and a clock that the test owns."""

    stores: Stores
    embedder: TopicEmbedder
    said: list[Message] = field(default_factory=list)

    @property
    def tenant(self) -> str:
        return self.stores.settings.tenant

    def about(self, *topics: str, minutes: float = 0, step: float = 1) -> list[Message]:
        """Make messages on topics, in turns of two people."""
        made = [
            message(
                TOPICS[topic].format(KINDS[number % len(KINDS)]),
                tenant=self.tenant,
                minutes=minutes + step * number,
                actor=(Actor.CONTACT, Actor.OWNER)[number % 2],
            )
            for number, topic in enumerate(topics)
        ]
        self.said += made
        return made

    async def record(self, *said: Message) -> None:
        """Record messages, each taken in before the next."""
        await known(self.stores, *said)

    async def at_once(self, *said: Message) -> None:
        """Record messages in one go."""
        await self.stores.memory.ledger.record(list(said), history=True)
        await self.stores.projector.caught_up()

    async def episodes(self) -> list[Episode]:
        thread = self.said[0].chat.thread_id
        found = await self.stores.memory.episodes.of_chat(self.tenant, thread, 1000)
        return list(reversed(found))

    async def turns(self) -> list[int]:
        return [each.turns for each in await self.episodes()]

    async def is_as_made_anew(self) -> bool:
        """Tell whether all are what they would be had all come in order, and verify says so."""
        before, thread = await self.episodes(), self.said[0].chat.thread_id
        kept = await self.sums()
        checked = verify(self.stores.memory, self.stores.projector.projections, [self.tenant], 10)
        reports = {each.projection: each async for each in checked}
        await self.stores.memory.backlog.owe(self.tenant, ["episodes"], [ANEW + thread])
        await self.stores.projector.caught_up()
        is_same = before == await self.episodes() and kept == await self.sums()
        return is_same and reports["episodes"].is_clean

    async def sums(self) -> list[bytes]:
        """Return the sum of the vectors of each episode, all of which are known."""
        thread = self.said[0].chat.thread_id
        kept = [
            each.vector_sum
            for each in await self.stores.memory.episodes.stretches(self.tenant, thread)
        ]
        assert all(kept)
        return kept


@pytest.fixture
async def room(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Room]:
    embedder = TopicEmbedder()
    given = Overrides(model=model, embedder=embedder, reader=ScriptedReader({}), clock=lambda: NOW)
    async with open_stores(settings, given) as stores:
        yield Room(stores, embedder)


SHIFTS = (*["kitchen"] * 8, *["train"] * 8, *["bread"] * 8)


@pytest.mark.parametrize("one_by_one", [True, False])
async def test_a_chat_is_cut_where_its_topic_shifts(room: Room, *, one_by_one: bool) -> None:
    said = room.about(*SHIFTS)
    await (room.record if one_by_one else room.at_once)(*said)
    assert await room.turns() == [8, 8, 8]
    assert [each.number for each in await room.episodes()] == [1, 2, 3]
    assert await room.is_as_made_anew()


async def test_an_episode_says_when_it_was_whose_it_is_and_what_was_said(room: Room) -> None:
    said = room.about(*["kitchen"] * 3)
    await room.record(*said)
    (only,) = await room.episodes()
    assert (only.first_uid, only.last_uid) == (said[0].uid, said[-1].uid)
    assert (only.began_at, only.ended_at) == (said[0].sent_at, said[-1].sent_at)
    assert (only.anchor, only.thread_id) == ("contact:waha:ana", said[0].chat.thread_id)
    assert only.summary is not None
    assert "kitchen" in only.summary.text


async def test_the_order_of_arrival_does_not_matter(room: Room) -> None:
    said = room.about(*SHIFTS)
    await room.record(*said[:6], *said[12:])
    await room.record(*reversed(said[6:12]))
    assert await room.turns() == [8, 8, 8]
    assert await room.is_as_made_anew()


async def test_messages_of_the_same_minute_are_not_taken_for_late(room: Room) -> None:
    said = room.about(*["kitchen"] * 20, step=0)
    await room.at_once(*said[:12])
    room.embedder.read_texts.clear()
    thread = said[0].chat.thread_id
    await room.stores.memory.ledger.record(said[12:], history=True)
    look = await room.stores.memory.episodes.look(room.tenant, thread, 100)
    assert look is not None
    assert look.course.stale is None
    await room.stores.projector.caught_up()
    assert await room.turns() == [20]
    assert await room.is_as_made_anew()


async def test_silence_begins_an_episode_and_older_months_join_later(room: Room) -> None:
    days = [room.about(*["kitchen"] * 4, minutes=day * 1440) for day in range(6)]
    await room.record(*days[4], *days[5])
    await room.at_once(*days[0], *days[1])
    await room.at_once(*days[2], *days[3])
    assert await room.turns() == [4] * 6
    episodes, thread = room.stores.memory.episodes, days[0][0].chat.thread_id
    kept = await episodes.stretches(room.tenant, thread)
    assert await episodes.stretches(room.tenant, thread, 2) == kept[-2:]
    assert await room.is_as_made_anew()


async def test_a_late_message_may_join_two_sittings(room: Room) -> None:
    morning = room.about(*["kitchen"] * 3)
    evening = room.about(*["kitchen"] * 3, minutes=600)
    next_day = room.about(*["train"] * 3, minutes=2000)
    await room.record(*morning, *evening, *next_day)
    assert await room.turns() == [3, 3, 3]
    await room.record(*room.about("kitchen", minutes=300))
    assert await room.turns() == [7, 3]
    assert await room.is_as_made_anew()


async def test_only_what_silence_bounds_is_made_again(room: Room) -> None:
    days = [room.about(*["kitchen"] * 5, minutes=day * 1440) for day in range(8)]
    for day in days:
        await room.at_once(*day)
    room.embedder.read_texts.clear()
    late = room.about("bread", minutes=3 * 1440 + 10)
    await room.record(*late)
    assert len(set(room.embedder.read_texts)) <= 6
    assert await room.turns() == [5, 5, 5, 6, 5, 5, 5, 5]
    assert await room.is_as_made_anew()


async def _change(room: Room, said: Message, text: str, *, gone: bool = False) -> None:
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind="revoke" if gone else "edit",
        action_id=f"change-{said.message_id}",
        text=text,
        author_ids=(said.sender_id,),
        from_me=said.from_me,
        changed_at=NOW,
    )
    assert await room.stores.memory.revisions.change(change, NOW) == "applied"


@pytest.mark.parametrize("gone", [True, False])
async def test_what_is_unsaid_goes_from_summaries_at_once(room: Room, *, gone: bool) -> None:
    said = room.about(*["kitchen"] * 4, "train") + room.about(*["bread"] * 4, minutes=2000)
    secret = replace(said[0], text="the kitchen code is heron-77")
    await room.record(secret, *said[1:])
    (first, second) = await room.episodes()
    assert "heron-77" in str(first.summary)
    before = second.summary
    await _change(room, secret, "the kitchen code is gone", gone=gone)
    rows = await room.stores.memory.episodes.stretches(room.tenant, secret.chat.thread_id)
    assert all("heron-77" not in str(row) for row in rows)
    assert [bool(row.vector_sum) for row in rows] == [False, True]
    await room.stores.projector.caught_up()
    (first, second) = await room.episodes()
    assert (first.turns, second.summary) == (4 if gone else 5, before)
    assert "heron-77" not in str(first)
    assert await room.is_as_made_anew()


async def test_episodes_go_with_their_messages_and_their_chat(room: Room) -> None:
    said = room.about(*["kitchen"] * 4) + room.about(*["bread"] * 4, minutes=2000)
    await room.record(*said)
    async with room.stores.pool.connection() as connection:
        uids = [one.uid for one in said[:5]]
        await connection.execute("delete from messages where uid = any(%s::uuid[])", [uids])
    await room.stores.projector.caught_up()
    assert await room.turns() == [3]
    assert await room.is_as_made_anew()
    async with room.stores.pool.connection() as connection:
        await connection.execute("delete from sessions where tenant = %s", [room.tenant])
    await room.stores.projector.caught_up()
    assert await room.turns() == []


async def test_a_group_takes_its_episodes_to_its_new_id(room: Room) -> None:
    said = [replace(one, is_group=True) for one in room.about(*["kitchen"] * 4)]
    moved = ChatRef(room.tenant, "waha", "phone", "new")
    await room.record(*said)
    assert await room.stores.memory.moves.move(said[0].chat, moved)
    await room.stores.projector.caught_up()
    assert await room.turns() == []
    found = await room.stores.memory.episodes.of_chat(room.tenant, moved.thread_id, 10)
    assert [each.turns for each in found] == [4]


async def test_the_last_episode_closes_when_its_chat_falls_silent(
    settings: Settings, model: ScriptedChatModel
) -> None:
    times = [START + timedelta(minutes=10)]
    given = Overrides(
        model=model, embedder=TopicEmbedder(), reader=ScriptedReader({}), clock=lambda: times[-1]
    )
    async with open_stores(settings, given) as stores:
        room = Room(stores, TopicEmbedder())
        await room.record(*room.about(*["kitchen"] * 4))
        assert [each.is_open for each in await room.episodes()] == [True]
        assert await room.stores.memory.episodes.silent(room.tenant, times[-1], 10)
        times.append(times[-1] + timedelta(hours=9))
        await keep_up(stores, room.tenant)
        await stores.projector.caught_up()
        (only,) = await room.episodes()
        assert not only.is_open
        assert only.summary is not None
        late = room.about("train", minutes=120)
        await room.record(*late)
        assert await room.turns() == [5]
        assert await room.is_as_made_anew()


async def test_summaries_run_along_and_long_episodes_have_chunks(room: Room) -> None:
    said = room.about(*["kitchen"] * 90, minutes=NOW_MINUTES)
    await room.record(*said[:11])
    (only,) = await room.episodes()
    assert (only.is_open, only.summary) == (True, None)
    await room.record(said[11])
    assert (await room.episodes())[0].summary is not None
    await room.at_once(*said[12:])
    (only,) = await room.episodes()
    assert (only.turns, len(only.chunks)) == (90, 2)
    assert await room.is_as_made_anew()


async def test_a_flood_in_one_minute_has_one_open_episode_of_bounded_length(room: Room) -> None:
    said = room.about(*["kitchen"] * 1_300, minutes=NOW_MINUTES, step=0.0005)
    await room.at_once(*said)
    found = await room.episodes()
    assert [each.is_open for each in found] == [*[False] * (len(found) - 1), True]
    assert sum(each.turns for each in found) == 1_300
    assert max(each.turns for each in found) <= 500
    assert await room.is_as_made_anew()


async def test_two_at_once_leave_one_open_episode(room: Room) -> None:
    said = room.about(*SHIFTS, minutes=NOW_MINUTES)
    await room.stores.memory.ledger.record(said, history=True)
    stores, item = room.stores, CHAT + said[0].chat.thread_id
    one = ChatEpisodes(stores.memory, room.embedder, stores.clock)
    await asyncio.gather(*[one.project(room.tenant, [item], 1) for _ in range(4)])
    await stores.projector.caught_up()
    assert [each.is_open for each in await room.episodes()] == [False, False, True]
    assert await room.is_as_made_anew()


async def test_what_is_withheld_is_in_no_episode(room: Room) -> None:
    said = room.about(*["kitchen"] * 4)
    await room.record(*said[:3], replace(said[3], withheld=True))
    assert await room.turns() == [3]
    assert await room.is_as_made_anew()


async def test_verify_finds_what_is_missing_and_stale(room: Room) -> None:
    said = room.about(*["kitchen"] * 4) + room.about(*["bread"] * 4, minutes=2000)
    await room.record(*said)
    async with room.stores.pool.connection() as connection:
        await connection.execute(
            "update episodes set digest = 'other' where tenant = %s and first_uid = %s",
            [room.tenant, said[0].uid],
        )
        await connection.execute(
            "delete from episodes where tenant = %s and first_uid = %s",
            [room.tenant, said[4].uid],
        )
    tenants = [room.tenant]
    checked = verify(room.stores.memory, room.stores.projector.projections, tenants, 10)
    reports = {each.projection: dict(each.counts) async for each in checked}
    assert reports["episodes"] == {"missing": 1, "stale": 1}
