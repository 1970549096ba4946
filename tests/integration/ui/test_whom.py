"""Whom a command is about: named in either place, an id as written, a name at this machine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner, Result

from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import ChatRef
from memory.domain.work import Delivery, DeliveryStatus
from memory.facts.corrector import Corrector
from tests.messages import message
from ui.cli.main import app

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)


async def _run(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, words)


async def _know(stores: Stores, contact_id: str, value: str) -> None:
    corrector = Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
    await corrector.set(contact_id, "allergy", value)


@pytest.mark.parametrize(
    "command", ["facts list", "contacts show", "contacts rebuild", "episodes list", "open"]
)
async def test_a_contact_is_named_in_either_place(stores: Stores, command: str) -> None:
    said = message("I'll send you the signed lease tomorrow", tenant=stores.settings.tenant)
    said = replace(said, sent_at=datetime.now(UTC))
    await stores.memory.ledger.record([said], history=True)
    await stores.projector.caught_up()
    words = command.split()
    plain = await _run(*words, said.contact_id)
    option = await _run(*words, "--contact", said.contact_id)
    assert (plain.exit_code, plain.output) == (0, option.output)
    both = await _run(*words, said.contact_id, "--contact", "somebody")
    assert both.exit_code != 0


async def test_an_id_without_a_channel_is_taken_as_written(stores: Stores) -> None:
    await _know(stores, "col", "peanuts")
    only = await _run("facts", "list", "col")
    assert "peanuts" in only.stdout
    assert only.stderr == ""
    await _know(stores, "web:col", "eggs")
    raw, local = await _run("facts", "list", "col"), await _run("facts", "list", "web:col")
    assert "peanuts" in raw.stdout
    assert raw.stderr == "recollect: col and web:col are two contacts: this is col, as written.\n"
    assert "eggs" in local.stdout
    assert local.stderr == ""


async def test_who_is_not_named_sits_at_this_machine(stores: Stores) -> None:
    await _know(stores, "me", "peanuts")
    await _know(stores, "web:me", "eggs")
    found = await _run("facts", "list")
    assert "eggs" in found.stdout
    assert found.stderr == ""


async def test_the_outbox_is_json_too(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ChatRef(stores.settings.tenant, "waha", "phone", "49@c.us")
    sent = Delivery("7", chat, "uid", "Hello", "unknown", 1, datetime(2026, 3, 1, tzinfo=UTC))

    async def listing(tenant: str, status: DeliveryStatus) -> list[Delivery]:
        return [sent] if (tenant, status) == (chat.tenant, "unknown") else []

    monkeypatch.setattr(type(stores.memory.outbox), "listing", staticmethod(listing))
    found = await _run("outbox", "--json")
    (line,) = found.stdout.splitlines()
    assert json.loads(line)["status"] == "unknown"
    assert "Hello" not in line
    assert "1 try" in (await _run("outbox")).stdout
