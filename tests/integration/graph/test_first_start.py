"""Processes that start at the same moment on an empty database all come up."""

from __future__ import annotations

import asyncio

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from memory.embedded import EmbeddedStores
from tests.fakes.chat_model import ScriptedChatModel
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio


async def test_four_that_start_at_once_on_an_empty_database_all_come_up(
    embedded: EmbeddedStores,
) -> None:
    url = fresh_database(embedded.database_url)
    settings = Settings.model_validate({"database_url": url, "chroma_url": embedded.chroma_url})

    async def come_up() -> None:
        async with open_stores(settings, Overrides(model=ScriptedChatModel())) as stores:
            assert await stores.saver.unfinished_threads(["default"], ["waha"]) == []

    async with asyncio.timeout(60):
        await asyncio.gather(*(come_up() for _ in range(4)))
