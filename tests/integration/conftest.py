"""Real stores for integration tests: the embedded servers, once, and a tenant for each test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from pydantic import SecretStr

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.embedded import EmbeddedStores
from tests.fakes.chat_model import ScriptedChatModel

_NEO4J = "RECOLLECT_TEST_NEO4J_URI"


@pytest.fixture
def model() -> ScriptedChatModel:
    """A chat model that says what a test scripts."""
    return ScriptedChatModel()


@pytest.fixture
def settings(embedded: EmbeddedStores) -> Settings:
    """Settings on the embedded servers, with a tenant of the test's own."""
    return Settings.model_validate(
        {
            "database_url": embedded.database_url,
            "chroma_url": embedded.chroma_url,
            "tenant": f"test-{uuid4()}",
        }
    )


def on_neo4j(settings: Settings) -> Settings:
    """Return settings with facts on the test server of Neo4j; skip where none is named."""
    uri = os.environ.get(_NEO4J, "")
    if not uri:
        stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        stop(f"{_NEO4J} is not set: start a Neo4j 5 and name its Bolt address")
    neo4j = {
        "neo4j_uri": uri,
        "neo4j_user": os.environ.get("RECOLLECT_TEST_NEO4J_USER", ""),
        "neo4j_password": SecretStr(os.environ.get("RECOLLECT_TEST_NEO4J_PASSWORD", "")),
    }
    return settings.model_copy(update=neo4j)


@pytest.fixture
async def stores(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Stores]:
    """Every store, open, with the scripted model."""
    async with open_stores(settings, Overrides(model=model)) as opened:
        yield opened
