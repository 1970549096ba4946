"""The first example of the API in docs/usage.md shows facts, as it says."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from tests.integration.server.conftest import Start

pytestmark = pytest.mark.anyio

USAGE = Path(__file__).parents[3] / "docs" / "usage.md"


async def test_what_the_example_tells_is_known(start: Start) -> None:
    text = USAGE.read_text(encoding="utf-8")
    (body,) = re.findall(r"-d '(\{.+?\})'", text, re.DOTALL)
    (shown,) = re.findall(r"(/contacts/\S+/facts) +# (.+?);", text)
    path, told = shown
    async with start() as app:
        answer = await app.http.post("/ingest", json=json.loads(body))
        assert answer.status_code == 202
        known: dict[str, str] = {}
        async with asyncio.timeout(20):
            while not known:
                await asyncio.sleep(0.05)
                found = (await app.http.get(path)).json()["facts"]
                known = {fact["key"]: fact["value"] for fact in found}
    assert known == dict(pair.split(": ") for pair in told.split(", "))
