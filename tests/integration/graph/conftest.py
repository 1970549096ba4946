"""Stores with either fact store, for what has to be the same on both."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.chat_model import ScriptedChatModel

_NEO4J = "RECOLLECT_TEST_NEO4J_URI"


@pytest.fixture(params=["postgres", "neo4j"])
async def either_stores(
    settings: Settings, model: ScriptedChatModel, request: pytest.FixtureRequest
) -> AsyncIterator[Stores]:
    """Every store, open, with either fact store."""
    if request.param == "neo4j":
        if _NEO4J not in os.environ:
            stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            stop(f"{_NEO4J} is not set: start a Neo4j 5 and name its Bolt address")
        neo4j = {
            "neo4j_uri": os.environ[_NEO4J],
            "neo4j_user": os.environ.get("RECOLLECT_TEST_NEO4J_USER", ""),
            "neo4j_password": SecretStr(os.environ.get("RECOLLECT_TEST_NEO4J_PASSWORD", "")),
        }
        settings = settings.model_copy(update=neo4j)
    async with open_stores(settings, Overrides(model=model)) as opened:
        yield opened
        for contact in await opened.memory.facts.contacts(settings.tenant):
            await opened.memory.facts.forget(settings.tenant, contact)
