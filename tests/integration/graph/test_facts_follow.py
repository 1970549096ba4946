"""Facts and their vectors on real stores: they follow the messages that they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.chroma.index import ChromaVectorIndex
from memory.domain.changes import Change
from memory.domain.chats import Message, Pair
from memory.domain.facts import ContactObservations, Fact
from memory.domain.recalls import VectorItem
from memory.policy.commands import Command
from memory.ports.recall import VectorKind
from memory.projection.fact_vectors import FactVectors
from memory.projection.importing import import_batches
from memory.transcript.joining import join_contact
from nodes.commands.run import answer_command
from nodes.context import GivenOptions
from tests.messages import START, message
from tests.projecting import known
from tests.reading import observations_of

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def say(stores: Stores) -> Callable[..., Message]:
    """Make messages of one chat of the tenant, `minutes` after the start."""
    return lambda text, minutes=0.0: message(text, tenant=stores.settings.tenant, minutes=minutes)


async def _changed(stores: Stores, said: Message, text: str = "", *, at: float = 60) -> None:
    kind = "edit" if text else "revoke"
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind=kind,  # type: ignore[arg-type]
        action_id=f"{kind}-{text}-{at}",
        text=text,
        author_ids=(said.sender_id,),
        from_me=False,
        changed_at=START + timedelta(minutes=at),
    )
    assert await stores.memory.revisions.change(change, NOW) == "applied"


async def _facts(stores: Stores, said: Message) -> list[str]:
    """Return what is known; the index must hold exactly these facts."""
    await stores.projector.caught_up()
    memory, tenant = stores.memory, said.chat.tenant
    facts = await memory.facts.active(tenant, said.contact_id)
    (vector,) = await memory.embedder.embed(["something"])
    hits = await memory.vectors.search(tenant, "knowledge", [said.anchor], vector, 50)
    assert {hit.item_id for hit in hits} == {fact.fact_id for fact in facts}
    return sorted(fact.value for fact in facts)


async def _history(stores: Stores, said: Message) -> list[Fact]:
    return await stores.memory.facts.history(said.chat.tenant, said.contact_id)


async def test_the_vector_of_what_was_superseded_or_taken_back_goes(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said = say("I live in Leeds. I'm vegan.")
    await known(stores, said, say("I live in York.", 1), say("I'm not vegan any more.", 2))
    assert await _facts(stores, said) == ["York"]


@pytest.mark.parametrize("text", ["", "Good morning!"])
async def test_what_an_edited_or_revoked_message_had_ended_holds_again(
    stores: Stores, say: Callable[..., Message], text: str
) -> None:
    said = say("I live in Leeds. I'm vegan.")
    news = say("I live in York. I'm not vegan any more.", 1)
    await known(stores, said, news)
    assert await _facts(stores, said) == ["York"]
    await _changed(stores, news, text)
    await stores.projector.caught_up()
    assert await _facts(stores, said) == ["Leeds", "vegan"]
    history = await _history(stores, said)
    assert sorted((f.value, f.status) for f in history) == [
        ("Leeds", "active"),
        ("Leeds", "closed"),
        ("York", "withdrawn"),
        ("vegan", "active"),
        ("vegan", "closed"),
    ]
    await stores.projector.caught_up()
    assert await _history(stores, said) == history


async def test_an_edit_and_its_way_back_leave_what_was_known(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said, news = say("I live in Leeds."), say("I live in York.", 1)
    await known(stores, said, news)
    for at, text, home in ((60, "I live in Ghent.", "Ghent"), (61, "I live in York.", "York")):
        await _changed(stores, news, text, at=at)
        await stores.projector.caught_up()
        assert await _facts(stores, said) == [home]


async def test_what_was_said_twice_outlives_one_of_the_two(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said, again = say("I live in Leeds."), say("I live in Leeds!", 1)
    await known(stores, said, again)
    await _changed(stores, said)
    await stores.projector.caught_up()
    assert await _facts(stores, said) == ["Leeds"]
    await _changed(stores, again)
    await stores.projector.caught_up()
    assert await _facts(stores, said) == []


class Broken(ChromaVectorIndex):
    """An index that loses its server when a fact's vector is to be stored or deleted."""

    fails_at = ""

    def of(self, generation: int) -> ChromaVectorIndex:
        return self

    async def upsert(self, tenant: str, kind: VectorKind, items: Sequence[VectorItem]) -> None:
        self._fail("upsert", kind)
        await super().upsert(tenant, kind, items)

    async def delete_items(
        self, tenant: str, kind: VectorKind, anchor: str, item_ids: Sequence[str]
    ) -> None:
        self._fail("delete", kind)
        await super().delete_items(tenant, kind, anchor, item_ids)

    def _fail(self, step: str, kind: VectorKind) -> None:
        if kind == "knowledge" and step == self.fails_at:
            raise ConnectionError


@pytest.mark.parametrize("step", ["delete", "upsert"])
async def test_vectors_are_right_after_the_step_that_was_interrupted_ran_again(
    stores: Stores, say: Callable[..., Message], step: str
) -> None:
    said, news = say("I live in Leeds."), say("I live in York.", 1)
    index = stores.memory.vectors
    assert isinstance(index, ChromaVectorIndex)
    broken = Broken(index._collections, stores.memory.embedder.fingerprint, 384)
    failing = FactVectors(replace(stores.memory, vectors=broken))
    contact = f"contact:{said.contact_id}"
    await known(stores, said)
    await stores.memory.facts.apply_many(
        said.chat.tenant, [ContactObservations(said.contact_id, await observations_of(news))], NOW
    )
    broken.fails_at = step
    with pytest.raises(ConnectionError):
        await failing.project(said.chat.tenant, [contact], 1)
    await stores.memory.backlog.owe(said.chat.tenant, ["fact_vectors"], [contact])
    await stores.projector.caught_up()
    assert await _facts(stores, said) == ["York"]


async def test_vectors_of_what_ends_by_joining_two_ids_go(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said = say("I live in Leeds.")
    hidden = message("I live in York.", tenant=said.chat.tenant, chat="h", sender="h", minutes=1)
    await known(stores, said, hidden)

    async def drop(thread_id: str) -> None:
        del thread_id

    pair = Pair(said.chat.tenant, "waha", "phone", "h", "ana")
    for _ in range(2):
        assert await join_contact(stores.memory, pair, drop)
        assert await _facts(stores, said) == ["York"]


async def test_what_was_forgotten_stays_forgotten(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    said = say("I'm allergic to nuts. I live in Leeds.", 1)
    forget = replace(say("/forget nuts", 2), is_owner=True)
    await known(stores, said)
    last = [event async for event in agent.send(forget)][-1]
    assert isinstance(last, Finished)
    assert last.reply.startswith("Forgotten: allergy. ")
    assert await _facts(stores, said) == ["Leeds"]
    await import_batches(stores.memory, stores.projector, [[say("I'm allergic to nuts.", 0)]])
    assert await _facts(stores, said) == ["Leeds"]
    await _changed(stores, forget)
    await stores.projector.caught_up()
    assert await _facts(stores, said) == ["Leeds"]


async def test_forgetting_twice_answers_the_same(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    said, forget = say("I'm allergic to nuts.", 1), replace(say("/forget nuts", 2), is_owner=True)
    await known(stores, said, forget)
    context = await stores.wire(GivenOptions())
    first = await answer_command(Command("forget", "nuts"), forget, forget.sent_at, context)
    assert first.startswith("Forgotten: allergy. ")
    history = await _history(stores, said)
    assert await answer_command(Command("forget", "nuts"), forget, forget.sent_at, context) == first
    assert await _history(stores, said) == history
    assert await _facts(stores, said) == []
