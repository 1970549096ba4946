"""What has ended is forgotten as what holds is: by name, by key, and with everything."""

from __future__ import annotations

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.facts.corrector import Corrector, UnknownFact
from memory.recall.claimed import claimed_of
from memory.trust.verify import verify
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"
NINA = ("My girlfriend Nina is a dentist.", "Nina and I broke up.")
LEEDS = ("I live in Leeds. The plumber comes on Tuesday.", "I moved to York.")
WISHES: tuple[tuple[tuple[str, ...], str, str, list[str], str], ...] = (
    (LEEDS, "please forget that I lived in Leeds", "home", ["York"], "Leeds"),
    (NINA, "forget that Nina was my girlfriend", "partner", [], "Nina"),
    (NINA, "please forget everything you know about me", "partner", [], "Nina"),
    (LEEDS, "forget everything you know about me", "home", [], "Leeds"),
    (LEEDS, "Vergiss bitte, dass ich in Leeds gewohnt habe", "Wohnort", ["York"], "Leeds"),
    (LEEDS, "olvida que vivía en Leeds", "domicilio", ["York"], "Leeds"),
    (LEEDS, "esquece que eu morava em Leeds", "moradia", ["York"], "Leeds"),
    (LEEDS, "забудь, что я жил в Leeds", "место жительства", ["York"], "Leeds"),
)


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def corrector(stores: Stores) -> Corrector:
    return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


async def _say(agent: Agent, text: str, minutes: int) -> Finished:
    said = message(text, tenant=agent.stores.settings.tenant, minutes=minutes)
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _told(agent: Agent, texts: tuple[str, ...]) -> None:
    for minutes, text in enumerate(texts):
        await _say(agent, text, minutes)
    await agent.stores.projector.caught_up()


async def _held(stores: Stores) -> list[str]:
    facts = await stores.memory.facts.active(stores.settings.tenant, ANA)
    return sorted(fact.value for fact in facts)


async def _shown(stores: Stores, word: str) -> list[str]:
    """Return where a word is still found: entities, and lines of the transcript."""
    await stores.projector.caught_up()
    memory, tenant = stores.memory, stores.settings.tenant
    entities = await memory.entities.of(tenant, ANA)
    found = (await memory.lexical.search(tenant, [f"contact:{ANA}"], word, 5)).hits
    return [each.name for each in entities if word in each.name] + [hit.item_id for hit in found]


async def _is_clean(stores: Stores) -> bool:
    tenant = stores.settings.tenant
    reports = [r async for r in verify(stores.memory, stores.projector.projections, [tenant], 9)]
    return all(each.is_clean for each in reports)


@pytest.mark.parametrize(("texts", "wish", "kind", "held", "gone"), WISHES)
async def test_in_words(
    agent: Agent, texts: tuple[str, ...], wish: str, kind: str, held: list[str], gone: str
) -> None:
    await _told(agent, texts)
    reply = (await _say(agent, wish, 3)).reply
    assert kind in reply.partition(".")[0], reply
    assert await _held(agent.stores) == held
    assert await _shown(agent.stores, gone) == []
    assert await _is_clean(agent.stores)
    again = (await _say(agent, wish, 4)).reply
    assert kind not in again.partition(".")[0], again


async def test_an_undo_brings_it_back_as_what_has_ended(
    agent: Agent, stores: Stores, corrector: Corrector
) -> None:
    await _told(agent, LEEDS)
    taken = await corrector.forget(ANA, "Leeds")
    assert [(fact.key, fact.value) for fact in taken.facts] == [("home", "Leeds")]
    assert await _shown(stores, "Leeds") == []
    await corrector.undo(ANA, taken.facts[0].source_uid)
    assert await _held(stores) == ["York"]
    assert len(await _shown(stores, "Leeds")) == 2
    assert await _is_clean(stores)


async def test_a_key_is_forgotten_with_all_that_it_ever_held(
    agent: Agent, stores: Stores, corrector: Corrector
) -> None:
    await _told(agent, ("I live in Mumbai.",))
    await corrector.set(ANA, "home", "Pune")
    taken = await corrector.forget_value(ANA, "home")
    assert sorted(fact.value for fact in taken.facts) == ["Mumbai", "Pune"]
    assert await _held(stores) == []
    assert await _shown(stores, "Mumbai") == []
    assert await _shown(stores, "Pune") == []
    assert await _is_clean(stores)
    with pytest.raises(UnknownFact):
        await corrector.forget_value(ANA, "home")
    await corrector.undo(ANA, taken.facts[0].source_uid)
    assert await _held(stores) == ["Pune"]


async def test_what_held_for_a_while_is_forgotten_and_what_holds_for_good_stays(
    agent: Agent, stores: Stores, corrector: Corrector
) -> None:
    await _told(agent, ("I live in Leeds.", "I am living in Rome until Friday."))
    await corrector.forget(ANA, "Rome")
    assert await _held(stores) == ["Leeds"]
    assert await _shown(stores, "Rome") == []
    assert await _is_clean(stores)


async def test_what_is_said_again_afterwards_is_known_again(agent: Agent, stores: Stores) -> None:
    await _told(agent, LEEDS)
    await _say(agent, "forget that I lived in Leeds", 3)
    await _say(agent, "I moved back to Leeds.", 4)
    assert await _held(stores) == ["Leeds"]
    assert len(await _shown(stores, "Leeds")) == 2


async def test_of_what_holds_and_what_has_ended_a_word_means_what_holds(
    agent: Agent, stores: Stores
) -> None:
    await _told(agent, (NINA[0], NINA[1], "My girlfriend is called Maria."))
    await _say(agent, "forget that I have a girlfriend", 3)
    assert await _held(stores) == []
    assert await _shown(stores, "Maria") == []


async def test_whoever_is_forgotten_is_told_of_others_as_nobody_of_theirs(
    agent: Agent, stores: Stores
) -> None:
    await _told(agent, (NINA[0], "Nina works at Acme.", NINA[1]))
    await _say(agent, "forget that Nina was my girlfriend", 3)
    tenant = stores.settings.tenant
    (told,) = await claimed_of(stores.memory, tenant, ANA, "Who is Nina?")
    assert (told.key, told.value) == ("Nina: employer", "Acme")
