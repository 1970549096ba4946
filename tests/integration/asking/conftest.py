"""Stores that ask a scripted endpoint about what messages tell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from graph.settings import Settings
from tests.fakes.openai_server import OpenAIServer
from tests.integration.asking.told import Opened


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """An endpoint that finds nothing unless a test scripts it."""
    with OpenAIServer(default='{"facts": []}') as running:
        yield running


@pytest.fixture
async def opened(settings: Settings, server: OpenAIServer) -> AsyncIterator[Opened]:
    """Open stores that ask the server; several stand beside each other."""
    async with AsyncExitStack() as stack:
        yield Opened(settings, server, stack)
