"""What is open with a contact, over the API."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.server.conftest import Start

pytestmark = pytest.mark.anyio


async def test_what_is_due_today_is_marked_for_the_owner(start: Start) -> None:
    async with start() as running:
        said = {
            "contact_id": "crm:7",
            "role": "user",
            "conversation_id": "ticket-1",
            "message": "I'll send you the signed lease tomorrow",
            "message_id": "1",
            "sent_at": (datetime.now(UTC) - timedelta(days=1)).isoformat(),
        }
        assert (await running.http.post("/ingest", json=said)).status_code == 202
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(30):
            while not found:
                await asyncio.sleep(0.1)
                found = (await running.http.get("/contacts/crm:7/open")).json()["open"]
        others = (await running.http.get("/contacts/crm:8/open")).json()["open"]

    assert [(one["kind"], one["due_mark"], one["text"]) for one in found] == [
        ("promise", "due", said["message"])
    ]
    assert others == []
