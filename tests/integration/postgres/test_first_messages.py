"""The first messages of a chat, stored at once."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from memory.embedded import EmbeddedStores
from memory.postgres.ledger import PostgresLedger
from memory.postgres.pool import open_pool
from tests.messages import message
from tests.stores import migrated_database

pytestmark = pytest.mark.anyio

CHATS = 150
AT_ONCE = 8


async def test_first_messages_that_come_at_once_are_all_stored(embedded: EmbeddedStores) -> None:
    async with open_pool(migrated_database(embedded.database_url)) as pool:
        ledger = PostgresLedger(pool)
        for chat in range(CHATS):
            said = [
                message("Hi", chat=f"chat-{chat}", message_id=uuid4().hex) for _ in range(AT_ONCE)
            ]
            stored = await asyncio.gather(*(ledger.record([each]) for each in said))
            assert all(entry.is_new for (entry,) in stored)
