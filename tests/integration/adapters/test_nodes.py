"""Our two nodes in a graph of somebody else's, on real stores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from langchain_core.messages import HumanMessage

from graph.adapters import MemoryState
from graph.stores import Stores
from memory.errors import InvalidMessage
from nodes.prompts import FENCE_OPEN, read_memory
from scripts.processes import ROOT
from tests.drivers.serving import clean_environment
from tests.fakes.openai_server import OpenAIServer
from tests.integration.adapters.foreign import Foreign, where_they_live
from tests.stores import store_environment

pytestmark = pytest.mark.anyio


@pytest.fixture
def foreign(stores: Stores) -> Foreign:
    return Foreign(stores)


async def test_what_is_said_in_one_conversation_is_known_in_the_next(
    foreign: Foreign, stores: Stores
) -> None:
    await foreign.say("I'm allergic to peanuts and I live in Lisbon.")
    await foreign.say("The ferry to Cacilhas was late again because of the fog.")
    await stores.projector.caught_up()
    assert foreign.shown[0] == ""
    await foreign.say("Why was the ferry late?", thread="t2")
    assert foreign.shown[-1].startswith(FENCE_OPEN)
    for known in ("peanuts", "Lisbon", "fog"):
        assert known in foreign.shown[-1]
    await foreign.say("Why was the ferry late?", contact="bob", thread="t3")
    assert foreign.shown[-1] == ""


async def test_what_is_read_tells_times_where_the_contact_lives(
    foreign: Foreign, stores: Stores
) -> None:
    await foreign.say("My time zone is Asia/Tokyo.")
    await foreign.say("The ferry to Cacilhas was late again because of the fog.")
    await stores.projector.caught_up()
    await foreign.say("Why was the ferry late?", thread="t2")
    block = read_memory(foreign.shown[-1])
    said = await stores.memory.ledger.page(stores.settings.tenant, "web:ana", None, 50)
    (at,) = (each.message.sent_at for each in said if "Cacilhas" in each.message.text)
    assert block.now.endswith(" (Asia/Tokyo)")
    (when,) = (line.when for line in block.passages if "Cacilhas" in line.text)
    assert when == f"{at.astimezone(ZoneInfo('Asia/Tokyo')):%Y-%m-%d %H:%M}"


async def test_nothing_said_there_is_answered_or_taken_for_the_contacts(
    foreign: Foreign, stores: Stores
) -> None:
    await foreign.say("My name is Ana.")
    tenant = stores.settings.tenant
    assert await stores.memory.turns.count_pending([tenant]) == 0
    assert await foreign.said() == [("contact", "My name is Ana."), ("agent", "I see.")]


async def test_a_checkpoint_holds_no_recalled_text(foreign: Foreign) -> None:
    await foreign.say("I'm allergic to peanuts.")
    await foreign.say("hello", thread="t2")
    assert "peanuts" in foreign.shown[-1]
    kept = [each async for each in foreign.saver.alist({"configurable": {"thread_id": "t2"}})]
    assert kept
    assert "peanuts" not in str(kept)


async def test_a_replayed_checkpoint_stores_nothing_twice(foreign: Foreign, stores: Stores) -> None:
    await foreign.say("I live in Lisbon.")
    run = {"configurable": {"contact": "ana", "thread_id": "t1"}}
    history = [each async for each in foreign.graph.aget_state_history(run)]
    before_store = next(each for each in history if each.next == ("store",))
    for _ in range(2):
        config = {"configurable": {**before_store.config["configurable"], "contact": "ana"}}
        await foreign.graph.ainvoke(None, config)
    tenant = stores.settings.tenant
    assert len(await stores.memory.ledger.page(tenant, "web:ana", None, 10)) == 2
    assert len(await stores.memory.facts.history(tenant, "web:ana")) == 1


async def test_a_run_that_names_no_conversation_is_refused(foreign: Foreign) -> None:
    state = MemoryState(messages=[HumanMessage("hello", id="1")])
    with pytest.raises(InvalidMessage, match="thread_id"):
        await foreign.memory.store(state, {"configurable": {"contact": "ana"}})
    with pytest.raises(InvalidMessage, match="no human message"):
        await foreign.memory.retrieve(MemoryState(messages=[]), {})


def test_the_example_answers_from_another_conversation(tmp_path: Path) -> None:
    script = ROOT / "examples/own_graph.py"
    body = script.read_text(encoding="utf-8").partition("async def main")[2]
    assert len([line for line in body.splitlines() if line.strip()]) <= 22
    with OpenAIServer(respond=where_they_live) as server:
        environment = clean_environment(store_environment(tmp_path)) | {
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "OPENAI_API_KEY": "none",
        }
        done = subprocess.run(
            [sys.executable, str(script)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.stdout, done.returncode) == ("Noted.\nIn Lisbon.\n", 0), done.stderr
