"""Facts made anew from the ledger, on Postgres and on Neo4j."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message, Pair
from memory.facts.renewal import renew_facts
from tests.messages import message

pytestmark = pytest.mark.anyio


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def say(stores: Stores) -> Callable[..., Message]:
    """Make messages of one chat of the tenant's owner, `minutes` after the start."""

    def made(text: str, minutes: float = 0, sender: str = "ana") -> Message:
        tenant = stores.settings.tenant
        said = message(text, tenant=tenant, minutes=minutes, chat=sender, sender=sender)
        return replace(said, is_owner=True)

    return made


async def _send(agent: Agent, *messages: Message) -> list[str]:
    finished = []
    for each in messages:
        events = [event async for event in agent.send(each)]
        finished += [event.reply for event in events if isinstance(event, Finished)]
    return finished


async def _known(stores: Stores, contact: str = "waha:ana") -> list[str]:
    facts = await stores.memory.facts.active(stores.settings.tenant, contact)
    return sorted(fact.value for fact in facts)


async def test_what_was_learned_is_as_it_should_be(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    tenant = stores.settings.tenant
    await _send(agent, say("I live in Leeds. I'm vegan."), say("I live in York.", 1))
    await _send(agent, say("/forget vegan", 2), say("I'm not allergic to nuts.", 3))
    rows = await stores.memory.facts.rows(tenant, "waha:ana")
    assert len(rows) == 5
    assert not await renew_facts(stores.memory, tenant, "waha:ana")
    assert await stores.memory.facts.rows(tenant, "waha:ana") == rows


async def test_a_store_that_is_lost_comes_back_and_forgets_what_was_forgotten(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    tenant = stores.settings.tenant
    await _send(agent, say("I'm allergic to nuts. I live in Leeds."), say("I live in York.", 1))
    (gone,) = await _send(agent, say("/forget nuts", 2))
    assert gone.startswith("Forgotten: allergy. ")
    before = await stores.memory.facts.rows(tenant, "waha:ana")
    await stores.memory.facts.forget(tenant, "waha:ana")
    assert await _known(stores) == []
    assert await renew_facts(stores.memory, tenant, "waha:ana")
    assert await _known(stores) == ["York"]
    after = await stores.memory.facts.rows(tenant, "waha:ana")
    assert [row.fact_id for row in after] == [row.fact_id for row in before]
    assert not await renew_facts(stores.memory, tenant, "waha:ana")


async def test_what_only_the_fact_store_knows_to_be_forgotten_is_kept_with_the_ledger(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    tenant = stores.settings.tenant
    await _send(agent, say("I'm allergic to nuts."), say("/forget nuts", 2))
    async with stores.pool.connection() as connection:
        await connection.execute("delete from corrections where tenant = %s", [tenant])
    await renew_facts(stores.memory, tenant, "waha:ana")
    await stores.memory.facts.forget(tenant, "waha:ana")
    await renew_facts(stores.memory, tenant, "waha:ana")
    assert await _known(stores) == []


async def test_what_was_forgotten_under_a_hidden_id_is_forgotten_under_the_other(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    hidden = say("I'm allergic to nuts. I'm vegan.", 0, "hidden")
    await _send(agent, hidden, say("/forget nuts", 1, "hidden"), say("I live in York.", 2))
    pair = Pair(tenant, "waha", "phone", "hidden", "ana")
    (chat,) = await memory.moves.chats(tenant, "waha", "hidden")
    await memory.moves.move(chat, replace(chat, chat_id="ana"))
    await memory.moves.rename_contact(tenant, pair.channel, pair.alias, pair.canonical)
    for contact in ("waha:ana", "waha:hidden"):
        await renew_facts(memory, tenant, contact)
    assert await memory.facts.contacts(tenant) == ["waha:ana"]
    assert await _known(stores) == ["York", "vegan"]
    history = await memory.facts.history(tenant, "waha:ana")
    assert {fact.value for fact in history} == {"nuts", "York", "vegan"}
    assert {fact.anchor for fact in history} == {"contact:waha:ana"}


async def test_what_waits_for_a_turn_or_is_withheld_tells_nothing(
    agent: Agent, stores: Stores, say: Callable[..., Message]
) -> None:
    tenant = stores.settings.tenant
    withheld = replace(say("I live in Bath."), withheld=True)
    await stores.memory.ledger.record([say("I live in York.")])
    await stores.memory.ledger.record([say("I live in Leeds."), withheld, say(" \n")], history=True)
    assert await renew_facts(stores.memory, tenant, "waha:ana")
    assert await _known(stores) == ["Leeds"]
    contents = stores.memory.contents
    assert await contents.contacts(tenant) == ["waha:ana"]
    assert await contents.anchors(tenant) == ["contact:waha:ana"]
    async with aclosing(contents.said_in(tenant, ["contact:waha:ana"])) as pages:
        texts = [stored.message.text async for page in pages for stored in page]
    assert sorted(texts) == [" \n", "I live in Leeds."]
