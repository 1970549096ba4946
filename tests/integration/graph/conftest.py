"""Stores with either fact store, for what has to be the same on both."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.conftest import on_neo4j


@pytest.fixture(params=["postgres", "neo4j"])
async def either_stores(
    settings: Settings, model: ScriptedChatModel, request: pytest.FixtureRequest
) -> AsyncIterator[Stores]:
    """Every store, open, with either fact store."""
    if request.param == "neo4j":
        settings = on_neo4j(settings)
    async with open_stores(settings, Overrides(model=model)) as opened:
        yield opened
        for contact in await opened.memory.facts.contacts(settings.tenant):
            await opened.memory.facts.forget(settings.tenant, contact)
            await opened.memory.entities.replace(settings.tenant, contact, [])
