"""Real stores for integration tests: the embedded servers, once, and a tenant for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.embedded import EmbeddedStores
from tests.fakes.chat_model import ScriptedChatModel


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


@pytest.fixture
async def stores(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Stores]:
    """Every store, open, with the scripted model."""
    async with open_stores(settings, Overrides(model=model)) as opened:
        yield opened
