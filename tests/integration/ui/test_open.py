"""`recollect open` beside the open stores: of everybody, or of whom a name or an id names."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from graph.settings import Settings
from graph.stores import Stores
from tests.messages import message
from ui.cli.main import app

pytestmark = pytest.mark.anyio


async def test_a_name_is_somebody_at_this_machine(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.settings.load_settings", lambda: settings)
    text = "I'll send you the signed lease tomorrow"
    promise = message(text, tenant=settings.tenant, channel="web")
    promise = replace(promise, sent_at=datetime.now(UTC))
    await stores.memory.ledger.record([promise], history=True)
    await stores.projector.caught_up()
    for name, is_theirs in (("ana", True), ("web:ana", True), ("waha:ana", False), ("bo", False)):
        given = ["open", "--contact", name]
        result = await asyncio.to_thread(CliRunner().invoke, app, given)
        assert result.exit_code == 0
        assert ("signed lease" in result.output) is is_theirs
