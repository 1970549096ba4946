"""Real stores for integration tests: the embedded servers, once, and a tenant for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from graph.bootstrap import Overrides, Stores, open_stores
from graph.settings import Settings
from memory.embedded import EmbeddedStores, lease
from tests.fakes.chat_model import ScriptedChatModel


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStores]:
    """Postgres and Chroma for the whole session, in a folder that nobody else uses."""
    folder: Path = tmp_path_factory.mktemp("stores")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)  # as root, Postgres runs as another user
    with lease(folder) as held:
        yield held.stores


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
