"""`recollect episodes`: listed and shown beside the open stores."""

from __future__ import annotations

import asyncio
import json

import pytest
from typer.testing import CliRunner

from graph.settings import Settings
from graph.stores import Stores
from tests.integration.importing.counting import take
from tests.integration.ui.test_memory import CHAT
from tests.messages import message
from ui.cli.main import app

pytestmark = pytest.mark.anyio

TEXTS = ("The boiler leaks again.", "Call the plumber on Monday, please.", "I did, he comes at 9.")


async def _run(*words: str) -> tuple[int, str]:
    result = await asyncio.to_thread(CliRunner().invoke, app, ["episodes", *words])
    return result.exit_code, result.output


async def test_episodes_are_listed_and_shown(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)
    assert await _run("list") == (0, "No episodes yet.\n")
    said = [message(text, tenant=settings.tenant, minutes=n) for n, text in enumerate(TEXTS)]
    late = message("Bread is in the oven.", tenant=settings.tenant, minutes=2000)
    await stores.memory.ledger.record([*said, late], history=True)
    await stores.projector.caught_up()
    _, listed = await _run("list", "--contact", "waha:ana")
    heads = [line.split() for line in listed.splitlines() if " turns" in line]
    day = f"{said[0].sent_at.astimezone():%Y-%m-%d}"
    assert [(head[0], head[5]) for head in heads] == [("1", "3"), ("2", "1")]
    assert heads[0][1] == day
    _, shown = await _run("show", "1", "--chat", late.chat.thread_id)
    assert shown.startswith(f"1. {day}")
    assert "boiler" in shown
    _, written = await _run("list", "--chat", late.chat.thread_id, "--json")
    assert [each["turns"] for each in json.loads(written)] == [3, 1]


async def test_what_was_imported_is_listed_for_whom_it_was_imported_for(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)
    await take(stores, CHAT)
    await stores.projector.caught_up()
    assert " turns" in (await _run("list"))[1]
    assert await _run("list", "--contact", "bob") == (0, "No episodes yet.\n")


async def test_what_is_not_there_is_told_in_one_line(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)
    code, said = await _run("show", "7")
    assert (code, "there is no episode 7" in said) == (2, True)
    code, said = await _run("list", "--chat", "nobody")
    assert (code, "thread id" in said) == (2, True)


async def test_numbers_of_several_chats_are_told_apart(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)
    both = [
        message(f"The boiler {n} leaks.", tenant=settings.tenant, chat=f"c{n}") for n in range(2)
    ]
    await stores.memory.ledger.record(both, history=True)
    await stores.projector.caught_up()
    _, listed = await _run("list", "--contact", "waha:ana")
    threads = [each.chat.thread_id for each in both]
    heads = [line for line in listed.splitlines() if line.startswith("chat ")]
    assert sorted(heads) == sorted(f"chat {each}" for each in threads)
    code, said = await _run("show", "1", "--contact", "waha:ana")
    assert (code, "say which" in said) == (2, True)
    code, said = await _run("show", "1", "--contact", "waha:ana", "--chat", threads[0])
    assert (code, "boiler 0" in said) == (0, True)
