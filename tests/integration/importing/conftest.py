"""What the import tests share: the stores of a test, with an embedder that costs nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.importing.counting import CountingEmbedder


@pytest.fixture
def embedder() -> CountingEmbedder:
    """An embedder of arbitrary vectors that counts its texts."""
    return CountingEmbedder()


@pytest.fixture
async def quick(settings: Settings, embedder: CountingEmbedder) -> AsyncIterator[Stores]:
    """Every store, open, with the counting embedder."""
    overrides = Overrides(model=ScriptedChatModel(), embedder=embedder)
    async with open_stores(settings, overrides) as opened:
        yield opened
