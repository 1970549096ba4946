"""Webhooks that are refused: one line, nothing stored, and later messages are fine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually

pytestmark = pytest.mark.anyio
CHAT = "4911@c.us"


def without(event: dict[str, Any], *path: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(event))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return copy


BAD_EVENTS: dict[str, tuple[Callable[[dict[str, Any]], object], int]] = {
    "no object": (lambda _: [1, 2], 400),
    "no event": (lambda event: without(event, "event"), 422),
    "unknown event": (lambda event: event | {"event": "weather.changed"}, 422),
    "event is a number": (lambda event: event | {"event": 7}, 422),
    "no payload": (lambda event: without(event, "payload"), 422),
    "payload is text": (lambda event: event | {"payload": "hi"}, 422),
    "no message id": (lambda event: without(event, "payload", "id"), 422),
    "odd message id": (lambda e: e | {"payload": e["payload"] | {"id": "nonsense"}}, 422),
    "body is an object": (lambda e: e | {"payload": e["payload"] | {"body": {"a": 1}}}, 422),
    "another session": (lambda event: event | {"session": "other"}, 422),
}


async def check_unharmed(app: Running) -> None:
    """Nothing was stored, and a proper message is answered."""
    assert await app.count("messages") == 0
    assert await app.count("sessions") == 0
    assert (await app.say("Hello there", CHAT)).status_code == 200
    assert await eventually(lambda: len(app.answers(CHAT)) == 1)


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    async with start() as started:
        yield started


async def test_every_malformed_event_is_refused_in_one_line(
    app: Running, gateway: WahaGateway
) -> None:
    for name, (spoil, status) in BAD_EVENTS.items():
        body = json.dumps(spoil(gateway.event("Hi", CHAT))).encode()
        _, headers = gateway.signed({})
        answer = await app.post(body, headers | _signature(gateway, body))
        assert (name, answer.status_code) == (name, status), answer.text
        assert "\n" not in answer.json()["error"]
        assert set(answer.json()) == {"error"}
    await check_unharmed(app)


async def test_bodies_that_are_no_json_are_refused(app: Running, gateway: WahaGateway) -> None:
    for body in (b"", b"{", b"\xff\xfe", b"[" * 100_000):
        answer = await app.post(body, _signature(gateway, body))
        assert answer.status_code == 400
        assert "JSON" in answer.json()["error"]
    await check_unharmed(app)


async def test_wrong_or_missing_signatures_are_refused(app: Running, gateway: WahaGateway) -> None:
    body, headers = gateway.signed(gateway.event("Hi", CHAT))
    forged = headers | {"X-Webhook-Hmac": "0" * 128}
    unsigned = {k: v for k, v in headers.items() if not k.startswith("X-Webhook-Hmac")}
    for given, content in ((forged, body), (unsigned, body), (headers, body + b" ")):
        answer = await app.post(content, given)
        assert answer.status_code == 401
        assert answer.json()["error"]
    await check_unharmed(app)


async def test_a_body_over_one_mebibyte_is_refused_declared_or_chunked(
    app: Running, gateway: WahaGateway
) -> None:
    body, headers = gateway.signed(gateway.event("x" * 1024 * 1024, CHAT))
    assert (await app.post(body, headers)).status_code == 413
    read = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(64):
            read += 65536
            yield b"x" * 65536

    answer = await app.http.post("/webhooks/waha/default", content=chunks(), headers=headers)
    assert answer.status_code == 413
    assert read <= 1024 * 1024 + 2 * 65536
    await check_unharmed(app)


async def test_an_account_name_that_is_no_name_is_refused(
    app: Running, gateway: WahaGateway
) -> None:
    body, headers = gateway.signed(gateway.event("Hi", CHAT))
    answer = await app.http.post("/webhooks/waha/a b%00", content=body, headers=headers)
    assert answer.status_code == 422
    await check_unharmed(app)


async def test_events_of_waha_that_are_not_read_are_taken_and_ignored(
    app: Running, gateway: WahaGateway
) -> None:
    for name in ("presence.update", "session.status", "label.upsert", "message.waiting"):
        event = gateway.event("", CHAT) | {"event": name}
        answer = await app.post(*gateway.signed(event))
        assert (answer.status_code, answer.json()) == (200, {"status": "ignored"})
    await check_unharmed(app)


async def test_a_shared_secret_is_accepted_in_place_of_a_signature(
    start: Start, gateway: WahaGateway
) -> None:
    variables = {"RECOLLECT_WAHA_HMAC_KEY": "", "RECOLLECT_WAHA_SECRET": "hush"}
    async with start(**variables) as app:
        body = json.dumps(gateway.event("Hi", CHAT)).encode()
        assert (await app.post(body, {"X-Webhook-Secret": "wrong"})).status_code == 401
        assert (await app.post(body, {})).status_code == 401
        assert await app.count("messages") == 0
        assert (await app.post(body, {"X-Webhook-Secret": "hush"})).status_code == 200
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)


async def test_with_no_key_set_every_webhook_is_refused_and_the_setting_named(
    start: Start, gateway: WahaGateway
) -> None:
    async with start(RECOLLECT_WAHA_HMAC_KEY="") as app:
        answer = await app.post(*gateway.signed(gateway.event("Hi", CHAT)))
        assert answer.status_code == 503
        assert "RECOLLECT_WAHA_HMAC_KEY" in answer.json()["error"]
        assert await app.count("messages") == 0


async def test_context_is_served_to_this_machine_only(app: Running) -> None:
    import httpx

    away = httpx.ASGITransport(app.app, client=("192.0.2.7", 4000))
    async with httpx.AsyncClient(transport=away, base_url="http://server") as http:
        for path in ("/contacts/waha:4911@c.us/context", "/deliveries", "/turns"):
            assert (await http.get(path)).status_code == 403


def _signature(gateway: WahaGateway, body: bytes) -> dict[str, str]:
    from channels.waha.signature import sign

    return {"X-Webhook-Hmac": sign(body, gateway.hmac_key)}
