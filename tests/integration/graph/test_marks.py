"""What the owner pins or never wants recalled, on Postgres and on Neo4j, whatever is read again."""

from __future__ import annotations

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.facts import MarkKind
from memory.facts.corrector import BadCorrection, Corrector, UnknownFact
from memory.facts.listing import facts_of
from memory.facts.marker import MAX_PINNED, Marker
from memory.facts.renewal import renew_facts
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.recall.receipts import read_receipts
from memory.trust.verify import verify
from server.contact_context import context_of
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def marker(stores: Stores) -> Marker:
    return Marker(Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant))


async def _say(agent: Agent, text: str, minutes: int = 0) -> None:
    said = message(text, tenant=agent.stores.settings.tenant, minutes=minutes)
    _ = [event async for event in agent.send(said)]


async def _marks(stores: Stores, *, owner: bool = True) -> dict[str, MarkKind]:
    memory = stores.memory
    store = memory.all_facts if owner else memory.facts
    return {fact.value: fact.mark for fact in await store.active(stores.settings.tenant, ANA)}


async def _made_anew(stores: Stores) -> None:
    tenant = stores.settings.tenant
    await stores.memory.facts.forget(tenant, ANA)
    await stores.memory.backlog.owe(tenant, ["facts"], [f"contact:{ANA}"])
    await stores.projector.caught_up()


def _prompt(model: ScriptedChatModel) -> str:
    return "\n".join(line.text for line in model.prompts[-1])


async def test_a_pinned_taste_is_in_every_prompt_until_it_changes(
    agent: Agent, stores: Stores, marker: Marker, model: ScriptedChatModel
) -> None:
    await _say(agent, "My favorite color is navy. I like tea.")
    await stores.projector.caught_up()
    await _say(agent, "What is seven times eight?", 3000)
    assert "favorite:color" not in _prompt(model)
    assert (await marker.pin(ANA, "Favorite: color")).mark == "pinned"
    await _say(agent, "What is nine times eight?", 3001)
    assert '"favorite:color"' in _prompt(model)
    context = await context_of(stores, ANA, "")
    assert any("navy" in line.content for line in context.memories)
    await _made_anew(stores)
    assert await _marks(stores) == {"navy": "pinned", "tea": ""}
    await marker.corrector.set(ANA, "favorite:color", "red")
    assert await _marks(stores) == {"red": "", "tea": ""}
    await marker.corrector.set(ANA, "favorite:color", "navy")
    assert await _marks(stores) == {"navy": "", "tea": ""}
    with pytest.raises(UnknownFact, match="not pinned"):
        await marker.unpin(ANA, "favorite:color")


async def test_pins_are_a_handful_and_each_can_be_taken_back(
    stores: Stores, marker: Marker
) -> None:
    for number in range(MAX_PINNED + 1):
        await marker.corrector.set(ANA, "like", f"tea number {number}")
    with pytest.raises(BadCorrection, match="say which"):
        await marker.pin(ANA, "like")
    for number in range(MAX_PINNED):
        await marker.pin(ANA, "like", f"tea number {number}")
    assert (await marker.pin(ANA, "like", "tea number 0")).mark == "pinned"
    with pytest.raises(BadCorrection, match=f"{MAX_PINNED} facts are pinned"):
        await marker.pin(ANA, "like", f"tea number {MAX_PINNED}")
    await marker.unpin(ANA, "like", "tea number 0")
    await marker.pin(ANA, "like", f"tea number {MAX_PINNED}")
    marks = await _marks(stores)
    assert marks["tea number 0"] == ""
    assert sum(mark == "pinned" for mark in marks.values()) == MAX_PINNED


async def test_what_is_never_recalled_is_nowhere_but_with_the_owner(
    agent: Agent, stores: Stores, marker: Marker, model: ScriptedChatModel
) -> None:
    tenant = stores.settings.tenant
    scope = Scope(tenant, ANA, f"contact:{ANA}", is_group=False)
    model.script("Noted: diabetes.", "You have diabetes.", "No idea.", "Noted.", "Hello.")
    await _say(agent, "I have diabetes. The plumber comes on Tuesday.")
    await _say(agent, "What do you know of my health?", 1)
    await stores.projector.caught_up()
    assert await _marks(stores, owner=False) == {"diabetes": ""}
    assert (await marker.withhold(ANA, "medical")).mark == "withheld"
    await stores.projector.caught_up()
    assert await _marks(stores) == {"diabetes": "withheld"}
    assert await _marks(stores, owner=False) == {}
    assert await facts_of(stores.memory, tenant, ANA, every=True) == []
    await _say(agent, "Am I ill?", 2)
    assert "diabetes" not in _prompt(model)
    chat = message("", tenant=tenant).chat
    receipts = await stores.memory.turns.receipts(chat, 9)
    told = await read_receipts(stores.memory, tenant, ANA, receipts)
    texts = [each.text for readings in told for each in readings]
    assert not [text for text in texts if "diabetes" in text]
    found = await recall(stores.memory, scope, "diabetes", stores.clock(), 9, compares_facts=True)
    read = await remember(stores.memory, scope, found.entries, 3000)
    assert read.block.facts == ()
    assert "diabetes" not in (await context_of(stores, ANA, "diabetes")).context_text
    reports = [r async for r in verify(stores.memory, stores.projector.projections, [tenant], 9)]
    assert [each for each in reports if not each.is_clean] == []
    await _made_anew(stores)
    assert await _marks(stores) == {"diabetes": "withheld"}


async def test_told_again_it_stays_withheld_and_undone_it_is_back_with_its_words(
    agent: Agent, stores: Stores, marker: Marker
) -> None:
    tenant = stores.settings.tenant
    await _say(agent, "I have diabetes. The plumber comes on Tuesday.")
    await stores.projector.caught_up()
    await marker.pin(ANA, "medical")
    await marker.withhold(ANA, "medical")
    with pytest.raises(BadCorrection, match="never recalled"):
        await marker.pin(ANA, "medical")
    await _say(agent, "I have diabetes. My bike is blue.", 5)
    await stores.projector.caught_up()

    async def shown() -> list[str]:
        lines = await stores.memory.ledger.page(tenant, ANA, None, 9)
        return [line.message.text for line in lines if line.message.actor == "contact"]

    assert await shown() == ["The plumber comes on Tuesday.", "My bike is blue."]
    assert "diabetes" not in await _marks(stores, owner=False)
    await marker.show_again(ANA, "medical")
    assert await shown() == [
        "I have diabetes. The plumber comes on Tuesday.",
        "I have diabetes. My bike is blue.",
    ]
    assert (await _marks(stores, owner=False))["diabetes"] == ""
    with pytest.raises(UnknownFact, match="recalled anyway"):
        await marker.show_again(ANA, "medical")
    assert not await renew_facts(stores.memory, tenant, ANA)
