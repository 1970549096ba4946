"""A receipt tells what the answer used from what the model was shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.models.offline import OfflineResponder
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.recalls import Receipt
from memory.recall.explain import explain, explanation_to_json
from nodes.commands.run import why_text
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from ui.receipt import latest_receipts

pytestmark = pytest.mark.anyio

TOLD = "My name is Alex, I live in Leeds and I'm allergic to nuts."


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Agent]:
    async with open_stores(settings, Overrides(model=OfflineResponder())) as opened:
        yield agent_on(opened)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _ask(agent: Agent, text: str, minutes: float = 0) -> tuple[Receipt, dict[str, object]]:
    said = message(text, tenant=agent.stores.settings.tenant, minutes=minutes)
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    (told,) = await explain(agent.stores.memory, [said.chat.tenant], 1)
    return told.filed.receipt, {
        "why": why_text(told.filed.receipt, told.memories),
        "line": next(iter((await latest_receipts(agent, said.chat, 1)).values())).line,
        **explanation_to_json(told),
    }


def _used(receipt: Receipt) -> list[tuple[str, float]]:
    assert receipt.use is not None
    return [(each.kind, each.share) for each in receipt.use.lines]


async def test_the_offline_responder_says_exactly_what_it_used(offline: Agent) -> None:
    await _ask(offline, TOLD)
    receipt, shown = await _ask(offline, "Where do I live?", 1)
    assert receipt.use is not None
    assert receipt.use.is_exact
    assert receipt.use.beside["window"] == 2
    assert _used(receipt) == [("fact", 1.0)]
    assert shown["used"] == "exact"
    why = str(shown["why"])
    assert why.startswith("The last reply used:\n- fact home: Leeds")
    assert "\nAt hand, and not used:\n- fact allergy: nuts" in why
    assert "\nAt hand were 2 lines of this chat, too." in why
    assert str(shown["line"]).startswith("used: home Leeds · at hand: allergy nuts")


async def test_thanks_use_nothing_of_what_was_shown(offline: Agent) -> None:
    await _ask(offline, TOLD)
    receipt, shown = await _ask(offline, "Thank you!", 1)
    assert _used(receipt) == []
    assert str(shown["why"]).startswith("The last reply used no memory.\nAt hand")
    assert str(shown["line"]).startswith("used: nothing · at hand: allergy nuts")


async def test_a_line_of_the_window_that_is_told_is_used(offline: Agent) -> None:
    await _ask(offline, "The plumber comes on Tuesday at nine.")
    receipt, shown = await _ask(offline, "When does the plumber come?", 1)
    assert _used(receipt) == [("message", 1.0)]
    used = str(shown["why"]).partition("At hand")[0]
    assert "“The plumber comes on Tuesday at nine.”" in used
    assert str(shown["line"]).startswith("used: 1 message")


async def test_of_a_model_the_use_is_an_estimate_and_said_to_be(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script("Noted.", "You live in Leeds.", "You are welcome.")
    await _ask(agent, TOLD)
    receipt, shown = await _ask(agent, "Where do I live?", 1)
    assert receipt.use is not None
    assert not receipt.use.is_exact
    used = [m for m in shown["memories"] if m["used"]]  # type: ignore[attr-defined]
    assert ("fact", "Leeds") in [(m["kind"], m["text"]) for m in used]
    assert not {"Alex", "nuts"} & {m["text"] for m in used}
    assert str(shown["why"]).startswith("The last reply used, as far as its words tell:\n- fact")
    assert str(shown["line"]).startswith("used (an estimate): home Leeds")
    receipt, _ = await _ask(agent, "Thanks!", 2)
    assert _used(receipt) == []


async def test_a_receipt_of_long_ago_says_what_was_shown_and_no_more(offline: Agent) -> None:
    await _ask(offline, TOLD)
    receipt, _ = await _ask(offline, "Where do I live?", 1)
    async with offline.stores.pool.connection() as connection:
        await connection.execute(
            "update receipts set used = null where turn_id = %s", [receipt.turn_id]
        )
    (told,) = await explain(offline.stores.memory, [offline.stores.settings.tenant], 1)
    assert told.filed.receipt == replace(receipt, use=None)
    assert why_text(told.filed.receipt, told.memories).startswith("The last reply was based on:\n")
    assert explanation_to_json(told)["used"] is None
