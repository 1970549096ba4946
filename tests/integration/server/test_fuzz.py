"""Whatever an authentic gateway sends: 200, nothing asked for again, nothing answered by mistake.

`RECOLLECT_TEST_FUZZ_EXAMPLES` sets how many events are tried (default 300).
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.waha.signature import sign
from graph.bootstrap import Overrides
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually
from tests.unit.channels.waha_shapes import JSON, mutated_events

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

EXAMPLES = int(os.environ.get("RECOLLECT_TEST_FUZZ_EXAMPLES", "300"))
PATIENT = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MESSAGES = ("message", "message.any")
CHAT = "4911@c.us"


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    async with start(Overrides(model=ScriptedChatModel())) as started:
        yield started


@pytest.fixture
async def intake(start: Start) -> AsyncIterator[Running]:
    """The app without its worker, so that what waits for a reply can be counted."""
    async with start(Overrides(model=ScriptedChatModel()), with_worker=False) as started:
        yield started


async def post(app: Running, body: bytes) -> str:
    """Post an authentic body and return what became of it."""
    answer = await app.post(body, {"X-Webhook-Hmac": sign(body, app.gateway.hmac_key)})
    assert answer.status_code == 200, (answer.status_code, answer.text, body[:500])
    return str(answer.json()["status"])


async def check(app: Running, body: bytes, event: Any) -> None:
    waiting = await app.service.agent.stores.memory.turns.count_pending(["default"])
    status = await post(app, body)
    added = await app.service.agent.stores.memory.turns.count_pending(["default"]) - waiting
    kept = await app.rows("select reason from events where digest = %s", sha256(body).digest())
    assert bool(kept) == (status in ("unreadable", "refused")), (status, kept)
    assert all("cannot be read" not in row["reason"] for row in kept), kept
    name = event.get("event") if isinstance(event, dict) else None
    assert added <= (status == "new" and name in MESSAGES), (status, name)


@PATIENT
@given(event=mutated_events())
async def test_spoiled_events_are_never_a_5xx_and_never_wait_for_a_reply(
    intake: Running, event: Any
) -> None:
    await check(intake, json.dumps(event).encode(), event)


@settings(PATIENT, max_examples=max(EXAMPLES // 5, 20))
@given(body=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
async def test_any_body_is_taken(intake: Running, body: bytes) -> None:
    await check(intake, body, None)


@pytest.mark.slow
async def test_two_thousand_duplicates_are_one_message_and_one_reply(
    app: Running, gateway: WahaGateway
) -> None:
    body = json.dumps(gateway.event("Hello there", CHAT)).encode()
    outcomes: list[str] = []
    for _ in range(40):
        outcomes += await asyncio.gather(*(post(app, body) for _ in range(50)))
    assert outcomes.count("new") == 1
    assert set(outcomes) == {"new", "known"}
    assert await eventually(lambda: len(app.answers(CHAT)) == 1)
    rows = await app.rows("select author from messages")
    assert sorted(row["author"] for row in rows) == ["agent", "contact"]


async def test_a_body_of_almost_one_mebibyte_and_the_next_message_are_answered(
    app: Running, gateway: WahaGateway
) -> None:
    event = gateway.event("x" * (1024 * 1024 - 2000), CHAT)
    body = json.dumps(event).encode()
    assert len(body) < 1024 * 1024
    assert await post(app, body) == "new"
    long_name = gateway.event("Hi", CHAT, push_name="n" * 900_000)
    assert await post(app, json.dumps(long_name).encode()) == "new"
    assert await eventually(lambda: len(app.answers(CHAT)) >= 1)
    rows = await app.rows("select actor_name from messages where author = 'contact'")
    assert [len(row["actor_name"]) <= 100 for row in rows] == [True, True]


async def test_names_and_texts_with_control_characters_are_taken(
    app: Running, gateway: WahaGateway
) -> None:
    for number, nasty in enumerate(("\x00\x1b[31m", "\u202eevil\u2066", "a\nb\r\n", "\ud800")):
        event = gateway.event(f"Hi {nasty} there", f"49{number}@c.us", push_name=f"Eve {nasty}")
        assert await post(app, json.dumps(event).encode()) == "new"
    assert await eventually(lambda: len(app.gateway.sent) == 4)
    for row in await app.rows("select actor_name, content from messages"):
        assert row["actor_name"].isprintable()
        assert "\x00" not in row["content"]


async def test_an_old_timestamp_and_one_in_the_future_are_taken_and_answered_once(
    app: Running, gateway: WahaGateway
) -> None:
    future = int(time.time()) + 10 * 365 * 86_400
    for chat, at in (("491@c.us", 0), ("492@c.us", 1_300_000_000), ("493@c.us", future)):
        body = json.dumps(gateway.event("I live in Leeds.", chat, timestamp=at)).encode()
        assert [await post(app, body) for _ in range(3)] == ["new", "known", "known"]
    assert await eventually(lambda: len(app.gateway.sent) == 3)
    rows = await app.rows("select created_at <= now() as is_past from messages")
    assert all(row["is_past"] for row in rows)
    # What came with a wrong clock is outdone by what is said next.
    await app.say("I live in Bristol.", "493@c.us")
    stores = app.service.agent.stores

    async def learned() -> bool:
        facts = await stores.memory.facts.active(app.service.settings.tenant, "waha:493@c.us")
        return [fact.value for fact in facts] == ["Bristol"]

    assert await eventually(learned)


async def test_an_unreadable_flood_is_bounded(intake: Running) -> None:
    for number in range(1_100):
        assert await post(intake, f"no json {number}".encode()) == "unreadable"
    assert await intake.count("events") == 1_000
