"""What was so before answers in the place of nothing that was forgotten, withheld or corrected."""

from __future__ import annotations

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.facts.corrector import Corrector
from memory.facts.marker import Marker
from memory.trust.verify import verify
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"
FIRST = "I live in Antwerp. The plumber comes on Tuesday."
THEN = "I moved to Namur."


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


@pytest.fixture
async def agent(stores: Stores) -> Agent:
    agent = agent_on(stores)
    await _say(agent, FIRST, 0)
    await _say(agent, THEN, 1)
    return agent


@pytest.fixture
def corrector(stores: Stores) -> Corrector:
    return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


async def _say(agent: Agent, text: str, minutes: int) -> None:
    said = message(text, tenant=agent.stores.settings.tenant, minutes=minutes)
    _ = [event async for event in agent.send(said)]


async def _places(agent: Agent, model: ScriptedChatModel, minutes: int) -> set[str]:
    """Return which places a prompt shows to whom it is asked where they live."""
    await agent.stores.projector.caught_up()
    await _say(agent, "Where do I live, and when does the plumber come?", minutes)
    prompt = "\n".join(line.text for line in model.prompts[-1])
    assert "plumber comes on Tuesday" in prompt
    return {place for place in ("Antwerp", "Namur", "Liege") if place in prompt}


async def _home(agent: Agent) -> list[str]:
    facts = await agent.stores.memory.facts.active(agent.stores.settings.tenant, ANA)
    return [fact.value for fact in facts if fact.key == "home"]


async def _made_anew(stores: Stores) -> None:
    tenant = stores.settings.tenant
    await stores.memory.facts.forget(tenant, ANA)
    await stores.memory.backlog.owe(tenant, ["facts"], [f"contact:{ANA}"])
    await stores.projector.caught_up()
    reports = [r async for r in verify(stores.memory, stores.projector.projections, [tenant], 9)]
    assert [each for each in reports if not each.is_clean] == []


async def test_what_is_forgotten_takes_along_what_was_so_before_until_it_is_undone(
    agent: Agent, stores: Stores, corrector: Corrector, model: ScriptedChatModel
) -> None:
    taken = await corrector.forget_value(ANA, "home")
    assert [fact.value for fact in taken.facts] == ["Namur", "Antwerp"]
    assert await _places(agent, model, 2) == set()
    await _made_anew(stores)
    assert await _home(agent) == []
    assert await _places(agent, model, 3) == set()
    await corrector.undo(ANA, taken.facts[0].source_uid)
    assert await _home(agent) == ["Namur"]
    assert await _places(agent, model, 4) == {"Antwerp", "Namur"}


async def test_what_is_never_recalled_hides_what_was_so_before_until_it_is_shown_again(
    agent: Agent, stores: Stores, corrector: Corrector, model: ScriptedChatModel
) -> None:
    marker = Marker(corrector)
    await marker.withhold(ANA, "home")
    assert await _places(agent, model, 2) == set()
    await _made_anew(stores)
    assert await _places(agent, model, 3) == set()
    await marker.show_again(ANA, "home")
    assert await _places(agent, model, 4) == {"Antwerp", "Namur"}


async def test_what_was_corrected_by_hand_answers_no_more_until_that_is_undone(
    agent: Agent, stores: Stores, corrector: Corrector, model: ScriptedChatModel
) -> None:
    (stated,) = await corrector.set(ANA, "home", "Liege")
    assert await _places(agent, model, 2) == {"Antwerp", "Liege"}
    await _made_anew(stores)
    assert await _home(agent) == ["Liege"]
    assert await _places(agent, model, 3) == {"Antwerp", "Liege"}
    await corrector.undo(ANA, stated.source_uid)
    assert await _home(agent) == ["Namur"]
    assert await _places(agent, model, 4) == {"Antwerp", "Namur"}
