"""`recollect memory add|notes|forget`: each kind of memory where it belongs (N11, N15)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Message
from memory.errors import RecollectError
from memory.facts.notebook import BadNote, UnknownNote
from memory.facts.renewal import renew_facts
from memory.recall.block import FactLine
from nodes.prompts import INSTRUCTIONS_HERE, read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from ui.cli.main import app
from ui.cli.memory_status import read_status

pytestmark = pytest.mark.anyio

HOURS = "The shop is open from Tuesday to Saturday."


class Shell:
    """Runs `recollect memory` beside the open stores, with their settings."""

    def __init__(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("graph.settings.load_settings", lambda: settings)

    async def __call__(self, *words: str, fails: bool = False) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, ["memory", *words])
        if isinstance(result.exception, RecollectError):
            raise result.exception
        assert (result.exit_code != 0) is fails, result.output
        return result.output

    async def json(self, *words: str) -> Any:
        return json.loads(await self(*words, "--json"))


@pytest.fixture
def shell(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(settings, monkeypatch)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _prompt(agent: Agent, model: ScriptedChatModel, said: Message) -> str:
    async for _ in agent.send(said):
        pass
    return str(model.prompts[-1][0].text)


async def _notes(agent: Agent, model: ScriptedChatModel, said: Message) -> list[FactLine]:
    facts = read_memory(await _prompt(agent, model, said)).facts
    return [fact for fact in facts if fact.key == "note"]


def _asked(agent: Agent, text: str, sender: str = "ana", group: str = "") -> Message:
    return message(
        text,
        tenant=agent.stores.settings.tenant,
        chat=group or sender,
        sender=sender,
        is_group=bool(group),
        mentions_agent=bool(group),
    )


async def test_what_holds_for_the_house_is_shown_to_anybody_whom_it_answers(
    agent: Agent, model: ScriptedChatModel, shell: Shell
) -> None:
    await shell("add", HOURS, "--kind", "reflective")
    told = [FactLine("note", HOURS, by_owner=True)]
    for sender, group in (("ana", ""), ("bob", ""), ("bob", "team")):
        asked = _asked(agent, "Which days is the shop open?", sender, group)
        assert await _notes(agent, model, asked) == told
    assert await _notes(agent, model, _asked(agent, "My cat sleeps all night")) == []


async def test_of_many_house_notes_few_are_shown(
    agent: Agent, model: ScriptedChatModel, shell: Shell
) -> None:
    for number in range(5):
        await shell("add", f"The shop is open on day {number}.", "--scope", "tenant")
    shown = await _notes(agent, model, _asked(agent, "Is the shop open?"))
    assert len(shown) == 3


async def test_a_contacts_note_is_shown_to_nobody_else(
    agent: Agent, model: ScriptedChatModel, shell: Shell
) -> None:
    text = "Pays the invoice by bank transfer."
    await shell("add", text, "--contact", "waha:ana")
    question = "How do I pay the invoice?"
    assert [n.value for n in await _notes(agent, model, _asked(agent, question))] == [text]
    assert await _notes(agent, model, _asked(agent, question, "bob")) == []
    assert await _notes(agent, model, _asked(agent, question, "ana", "team")) == []


async def test_a_chats_note_stays_in_the_chat(
    agent: Agent, model: ScriptedChatModel, shell: Shell
) -> None:
    await _prompt(agent, model, _asked(agent, "hello", "ana", "team"))
    text = "We meet at the harbour on Fridays."
    await shell("add", text, "--kind", "episodic", "--chat", "waha/phone/team")
    question = "Where do we meet on Friday?"
    shown = await _notes(agent, model, _asked(agent, question, "bob", "team"))
    assert [note.value for note in shown] == [text]
    assert await _notes(agent, model, _asked(agent, question, "bob")) == []


async def test_what_contacts_say_never_becomes_a_note(
    agent: Agent, model: ScriptedChatModel, stores: Stores
) -> None:
    await _prompt(agent, model, _asked(agent, "Remember for everybody: the safe is behind Ana"))
    assert await stores.memory.notes.every(stores.settings.tenant) == []


async def test_an_instruction_for_a_contact_is_followed_in_its_chats_alone(
    agent: Agent, model: ScriptedChatModel, shell: Shell
) -> None:
    await shell("add", "answer in rhymes", "--kind", "procedural", "--contact", "waha:ana")
    prompt = await _prompt(agent, model, _asked(agent, "hello"))
    told = prompt.partition("<memory>")[0].rstrip().splitlines()
    assert told[-2:] == [INSTRUCTIONS_HERE, "- answer in rhymes"]
    assert "rhymes" not in await _prompt(agent, model, _asked(agent, "hello", "bob"))


async def test_a_text_that_names_a_kind_of_fact_becomes_one_and_outlives_a_rebuild(
    stores: Stores, shell: Shell
) -> None:
    tenant = stores.settings.tenant
    written = await shell.json("add", "favorite:color: navy", "--contact", "waha:ana")
    assert written == {"note": None, "facts": [{"key": "favorite:color", "value": "navy"}]}
    note = await shell.json("add", "Prefers the morning.", "--contact", "waha:ana")
    assert note["note"]["kind"] == "semantic"
    await renew_facts(stores.memory, tenant, "waha:ana")
    facts = await stores.memory.facts.active(tenant, "waha:ana")
    assert [fact.value for fact in facts] == ["navy"]
    assert [each.text for each in await stores.memory.notes.every(tenant)] == [
        "Prefers the morning."
    ]


async def test_status_counts_by_kind(stores: Stores, shell: Shell, settings: Settings) -> None:
    await shell("add", HOURS, "--kind", "reflective")
    await shell("add", "answer in rhymes", "--kind", "procedural")
    await shell("add", "home: Leeds")
    kinds = (await read_status(settings))["kinds"]
    assert {
        kind: (each["scope"], each["facts"], each["notes"]) for kind, each in kinds.items()
    } == {
        "episodic": ("chat", 0, 0),
        "semantic": ("contact", 1, 0),
        "procedural": ("contact", 1, 0),
        "reflective": ("tenant", 0, 1),
    }
    assert "reflective by tenant: 1 notes" in await shell("status")


async def test_a_search_keeps_to_a_scope(shell: Shell, stores: Stores) -> None:
    await shell("add", HOURS, "--kind", "reflective")
    await shell("add", "home: Leeds, beside the open shop")
    for scope, memory in (("tenant", "reflective"), ("contact", "semantic"), ("chat", "")):
        found = await shell.json("search", "Which days is the shop open?", "--scope", scope)
        assert [each["memory"] for each in found] == ([memory] if memory else [])
    lines = (await shell("search", "Which days is the shop open?")).splitlines()
    assert any("note: The shop is open" in line for line in lines)


async def test_forgetting_takes_what_is_named_and_no_other_kind(
    shell: Shell, stores: Stores, settings: Settings
) -> None:
    await shell("add", "The shop sells tea.", "--kind", "reflective")
    await shell("add", "Buys tea in the shop.")
    await shell("add", "like: tea")
    assert "The shop sells tea." in await shell("forget", "tea", "--scope", "tenant")
    left = await stores.memory.notes.every(settings.tenant)
    assert [note.text for note in left] == ["Buys tea in the shop."]
    gone = await shell.json("forget", "tea", "--kind", "semantic")
    assert [note["text"] for note in gone["notes"]] == ["Buys tea in the shop."]
    assert gone["facts"]["forgotten"] == [{"key": "like", "value": "tea"}]
    with pytest.raises(UnknownNote):
        await shell("forget", "tea")


async def test_the_audit_has_what_was_done_and_no_text(
    shell: Shell, stores: Stores, settings: Settings
) -> None:
    await shell("add", HOURS, "--kind", "reflective")
    await shell("forget", "shop")
    lines = await stores.memory.audit.listing(settings.tenant, 2)
    assert [(line.kind, line.outcome, line.detail) for line in lines] == [
        ("memory", "forgotten", "reflective"),
        ("memory", "added", "reflective"),
    ]


async def test_a_note_goes_with_its_line_of_the_ledger(
    shell: Shell, stores: Stores, settings: Settings
) -> None:
    await shell("add", HOURS, "--kind", "reflective")
    async with stores.pool.connection() as connection:
        await connection.execute("delete from sessions where tenant = %s", [settings.tenant])
        cursor = await connection.execute(
            "select count(*) as n from notes where tenant = %s", [settings.tenant]
        )
        assert await cursor.fetchone() == {"n": 0}


async def test_what_cannot_be_written_is_told_in_one_line(shell: Shell, stores: Stores) -> None:
    told = await shell("add", "x", "--kind", "reflective", "--scope", "chat", fails=True)
    assert "reflective memory is kept by tenant, not by chat" in " ".join(told.split())
    assert "--chat" in await shell("add", "x", "--kind", "episodic", fails=True)
    for text, chat in (("  ", ""), ("x" * 601, ""), ("x", "waha/phone/nobody"), ("x", "waha")):
        with pytest.raises(BadNote):
            await shell("add", text, *(["--chat", chat] if chat else []))


async def test_a_fact_is_forgotten_by_its_id(stores: Stores, shell: Shell) -> None:
    for thing in ("red boat", "red bike"):
        await shell("add", f"possession: {thing}", "--contact", "waha:ana")
    tenant = stores.settings.tenant
    facts = await stores.memory.facts.active(tenant, "waha:ana")
    (boat,) = [fact for fact in facts if fact.value == "red boat"]
    gone = await shell("forget", boat.fact_id, "--contact", "waha:ana")
    assert gone == "Forgotten: possession: red boat\n"
    left = await stores.memory.facts.active(tenant, "waha:ana")
    assert [fact.value for fact in left] == ["red bike"]
