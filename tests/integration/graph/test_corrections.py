"""What people correct by hand stays so, on Postgres and on Neo4j, whatever is read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message, Pair
from memory.errors import StoreUnavailable
from memory.facts.correcting import Hand, TakenBack, take_back
from memory.facts.corrector import BadCorrection, Corrector, UnknownFact, checked_key, checked_value
from memory.facts.listing import listed
from memory.facts.renewal import renew_facts
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _say(agent: Agent, *texts: str, sender: str = "ana") -> list[Message]:
    tenant = agent.stores.settings.tenant
    said = [
        replace(message(text, tenant=tenant, chat=sender, sender=sender, minutes=n), is_owner=True)
        for n, text in enumerate(texts)
    ]
    for each in said:
        _ = [event async for event in agent.send(each)]
    return said


def _corrector(stores: Stores) -> Corrector:
    return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


async def _set(stores: Stores, key: str, value: str, instead: str = "") -> list[str]:
    held = await _corrector(stores).set(ANA, key, value, instead)
    return sorted(fact.value for fact in held)


async def _forget(stores: Stores, words: str) -> TakenBack:
    return await _corrector(stores).forget(ANA, words)


async def _known(stores: Stores, contact: str = ANA) -> list[tuple[str, str]]:
    facts = await stores.memory.facts.active(stores.settings.tenant, contact)
    return sorted((fact.key, fact.value) for fact in facts)


async def test_corrections_outlive_the_fact_store_and_reading_again(
    agent: Agent, stores: Stores
) -> None:
    tenant = stores.settings.tenant
    await _say(agent, "I live in Leeds.", "I'm allergic to nuts.", "My dog is called Rxe.")
    assert await _set(stores, "home", "York") == ["York"]
    assert await _set(stores, "pet", "Rex", instead="Rxe") == ["Rex"]
    gone = await _forget(stores, "nuts")
    assert [(each.key, each.value) for each in gone.facts] == [("allergy", "nuts")]
    wanted = [("home", "York"), ("pet", "Rex")]
    assert await _known(stores) == wanted
    rows = await stores.memory.facts.rows(tenant, ANA)
    # The message that told of nuts alone is withheld, and tells it no more.
    await renew_facts(stores.memory, tenant, ANA)
    assert await _known(stores) == wanted
    await stores.memory.facts.forget(tenant, ANA)
    assert await renew_facts(stores.memory, tenant, ANA)
    assert await _known(stores) == wanted
    after = await stores.memory.facts.rows(tenant, ANA)
    assert {row.fact_id for row in after} <= {row.fact_id for row in rows}
    assert not await renew_facts(stores.memory, tenant, ANA)


async def test_a_forgetting_undone_gives_back_fact_and_message_for_good(
    agent: Agent, stores: Stores
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    said, _ = await _say(agent, "I'm allergic to nuts.", "My dog is called Rex.")
    before = await _known(stores)
    gone = await _forget(stores, "nuts")
    act = gone.facts[0].source_uid
    assert gone.withheld == (said.uid,)
    undone = await _corrector(stores).undo(ANA, act)
    assert [(each.key, each.value) for each in undone] == [("allergy", "nuts")]
    assert await _known(stores) == before
    (stored,) = await memory.ledger.messages(tenant, [said.uid])
    assert not stored.withheld
    found = await memory.lexical.search(tenant, [said.anchor], "allergic nuts", 5)
    assert [hit.item_id for hit in found.hits] == [said.uid]
    with pytest.raises(UnknownFact):
        await _corrector(stores).undo(ANA, act)
    await stores.projector.caught_up()
    assert not await renew_facts(memory, tenant, ANA)
    await memory.facts.forget(tenant, ANA)
    assert await renew_facts(memory, tenant, ANA)
    assert await _known(stores) == before


async def test_what_another_act_keeps_out_stays_out_when_one_is_undone(
    agent: Agent, stores: Stores
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    said, other = await _say(agent, "I'm allergic to nuts.", "Hello there.")
    await memory.ledger.withhold(tenant, [other.uid])
    act = (await _forget(stores, "nuts")).facts[0].source_uid
    await memory.corrections.unsay(tenant, {said.uid: None, other.uid: None}, (), "another")
    await _corrector(stores).undo(ANA, act)
    assert [each.withheld for each in await memory.ledger.messages(tenant, [said.uid])] == [True]
    await stores.projector.caught_up()
    # It holds again, stated by hand: its message tells nothing while it is withheld.
    (known,) = await memory.facts.active(tenant, ANA)
    assert (known.value, known.read_by) == ("nuts", "person")
    assert await memory.corrections.resay("someone else", "another") == []
    back = await memory.corrections.resay(tenant, "another")
    stored = await memory.ledger.messages(tenant, back)
    assert [each.message.from_me for each in stored] == [False, True]
    assert not [each for each in stored if each.withheld]
    assert [each.withheld for each in await memory.ledger.messages(tenant, [other.uid])] == [True]


async def test_what_is_never_recalled_stays_so_through_a_rebuild_until_it_is_let_in(
    agent: Agent, stores: Stores
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    said, _ = await _say(agent, "I'm allergic to nuts.", "My dog is called Rex.")
    act = await _corrector(stores).never_recall(ANA, said.uid)
    assert await _known(stores) == [("pet", "Rex")]
    lines = await memory.ledger.page(tenant, ANA, None, 10)
    # The answer to it may repeat it.
    assert [each.withheld for each in lines[:4]] == [True, True, False, False]
    assert lines[0].message.text == said.text
    assert await memory.corrections.kept_out(tenant, [each.uid for each in lines]) == {
        lines[0].uid: [act],
        lines[1].uid: [act],
    }
    found = await memory.lexical.search(tenant, [said.anchor], "allergic nuts", 5)
    assert found.hits == ()
    await stores.projector.caught_up()
    await memory.facts.forget(tenant, ANA)
    assert await renew_facts(memory, tenant, ANA)
    assert await _known(stores) == [("pet", "Rex")]
    await _corrector(stores).recall_again(ANA, act)
    assert await _known(stores) == [("allergy", "nuts"), ("pet", "Rex")]
    with pytest.raises(UnknownFact):
        await _corrector(stores).recall_again(ANA, act)
    with pytest.raises(UnknownFact):
        await _corrector(stores).never_recall("waha:bob", said.uid)


async def test_an_edit_undone_lets_the_old_value_hold_again(agent: Agent, stores: Stores) -> None:
    await _say(agent, "I live in Leeds.")
    (held,) = await _corrector(stores).set(ANA, "home", "York")
    await _corrector(stores).undo(ANA, held.source_uid)
    assert await _known(stores) == [("home", "Leeds")]


async def test_what_is_stored_is_what_the_ledger_gives(agent: Agent, stores: Stores) -> None:
    tenant = stores.settings.tenant
    await _say(agent, "I live in Leeds and I'm vegan.", "My name is alex mccartney.")
    await _set(stores, "home", "York")
    await _set(stores, "name", "Alex McCartney")
    await _set(stores, "home", "Bath")
    await _set(stores, "favorite:colour", "navy")
    await _forget(stores, "home")
    rows = await stores.memory.facts.rows(tenant, ANA)
    assert not await renew_facts(stores.memory, tenant, ANA)
    assert await stores.memory.facts.rows(tenant, ANA) == rows
    assert await _known(stores) == [
        ("diet", "vegan"),
        ("favorite:colour", "navy"),
        ("name", "Alex McCartney"),
    ]


async def test_a_contact_with_nothing_but_corrections_is_made_anew_too(
    agent: Agent, stores: Stores
) -> None:
    tenant = stores.settings.tenant
    await _set(stores, "home", "York")
    await stores.memory.facts.forget(tenant, ANA)
    facts = next(p for p in stores.projector.projections if p.name == "facts")
    assert await facts.parts(tenant) == [ANA]
    await renew_facts(stores.memory, tenant, ANA)
    assert await _known(stores) == [("home", "York")]


async def test_corrections_go_with_the_person_and_with_their_messages(
    agent: Agent, stores: Stores
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    await _say(agent, "I live in Leeds.")
    await _set(stores, "home", "York")
    pair = Pair(tenant, "waha", "phone", "ana", "anastasia")
    await memory.moves.rename_contact(tenant, pair.channel, pair.alias, pair.canonical)
    for contact in (ANA, "waha:anastasia"):
        await renew_facts(memory, tenant, contact)
    assert await _known(stores) == []
    assert await _known(stores, "waha:anastasia") == [("home", "York")]
    async with stores.pool.connection() as connection:
        await connection.execute(
            "delete from messages where tenant = %s and contact_id = %s", [tenant, "waha:anastasia"]
        )
    assert await memory.corrections.contacts(tenant) == []
    await renew_facts(memory, tenant, "waha:anastasia")
    assert await memory.facts.contacts(tenant) == []


async def test_a_correction_that_is_carried_out_twice_does_the_same(
    agent: Agent, stores: Stores
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    await _say(agent, "I live in Leeds.")
    (order,) = await _say(agent, "/facts", sender="ana")
    by = Hand(order, ANA, stores.clock())
    active = await memory.facts.active(tenant, ANA)
    first = await take_back(memory, by, active)
    await stores.projector.caught_up("facts")
    rows = await memory.facts.rows(tenant, ANA)
    assert await take_back(memory, by, await memory.facts.active(tenant, ANA)) == first
    assert await memory.facts.rows(tenant, ANA) == rows
    assert first.withheld


async def test_what_tells_other_things_is_shown_without_it_and_still_known(
    agent: Agent, stores: Stores
) -> None:
    both, nuts = await _say(agent, "I live in Leeds and I'm vegan.", "I'm allergic to nuts.")
    gone = await _forget(stores, "vegan")
    assert (gone.withheld, gone.shortened) == ((), (both.uid,))
    assert not await renew_facts(stores.memory, stores.settings.tenant, ANA)
    active = await stores.memory.facts.active(stores.settings.tenant, ANA)
    assert sorted(fact.value for fact in active) == ["Leeds", "nuts"]
    gone = await _forget(stores, "everything")
    assert gone.withheld == tuple(sorted([both.uid, nuts.uid]))
    tenant = stores.settings.tenant
    assert (await stores.memory.lexical.search(tenant, [nuts.anchor], "nuts", 5)).hits == ()


async def test_a_clock_ahead_of_ours_does_not_outlast_a_correction(
    agent: Agent, stores: Stores
) -> None:
    tenant = stores.settings.tenant
    ahead = replace(message("I live in Leeds.", tenant=tenant), sent_at=stores.clock())
    ahead = replace(ahead, sent_at=ahead.sent_at + timedelta(days=3))
    _ = [event async for event in agent.send(ahead)]
    assert await _set(stores, "home", "York") == ["York"]
    assert (await _forget(stores, "york")).facts
    assert await _known(stores) == []


async def test_a_prompt_shows_what_was_corrected_and_a_list_says_so(
    agent: Agent, stores: Stores
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    (said,) = await _say(agent, "My name is Ana.")
    await _set(stores, "home", "York")
    scope = Scope(tenant, ANA, f"contact:{ANA}", is_group=False)
    found = await recall(memory, scope, "where do I live", stores.clock(), 5)
    block = (await remember(memory, scope, found.entries, 3_000)).block
    assert {(line.key, line.value) for line in block.facts} == {("home", "York"), ("name", "Ana")}
    name, home = await listed(memory, tenant, await memory.facts.active(tenant, ANA))
    assert (name.how, name.who, name.said_at) == ("said", "ana", said.sent_at)
    assert (home.how, home.who, home.fact.confidence) == ("corrected", "owner", 1.0)


async def test_what_a_store_that_is_gone_missed_is_made_good(
    agent: Agent, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None:
        raise StoreUnavailable("RECOLLECT_NEO4J_URI", "bolt://x", "gone")

    with monkeypatch.context() as patched:
        patched.setattr(type(stores.memory.facts), "apply", gone)
        with pytest.raises(StoreUnavailable):
            await _set(stores, "home", "York")
    await stores.projector.caught_up("facts")
    assert await _known(stores) == [("home", "York")]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("shoe size", "42", "no kind of fact called “shoe size”"),
        ("favorite:", "x", "no kind of fact"),
        ("k" * 500, "x", "…”"),
        ("home", " \n ", "the value is empty"),
        ("home", "x" * 241, "241 characters"),
        ("home", "*", "cannot be *"),
    ],
)
def test_what_cannot_be_a_fact_is_said_in_one_line(key: str, value: str, problem: str) -> None:
    with pytest.raises(BadCorrection) as caught:
        checked_value(value if checked_key(key) else "")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_what_is_not_known_cannot_be_forgotten_or_replaced(
    agent: Agent, stores: Stores
) -> None:
    await _set(stores, "pet", "Rex")
    with pytest.raises(UnknownFact, match="nothing of the kind is known"):
        await _forget(stores, "home")
    with pytest.raises(UnknownFact, match="no such value"):
        await _set(stores, "pet", "Mia", instead="Ida")
    with pytest.raises(UnknownFact):
        await _corrector(stores).forget_value(ANA, "pet", "Mia")
    assert await _known(stores) == [("pet", "Rex")]


def test_keys_and_values_are_taken_as_people_write_them() -> None:
    assert checked_key(" Reply  language ").key == "reply_language"
    assert checked_key("Favorite: Color").key == "favorite:color"
    assert checked_value(" Ana\x1b[31m\nLúcia  🇧🇷\x00 ") == "Ana [31m Lúcia 🇧🇷"
