"""Webhooks that are refused or cannot be read: nothing is stored, and later messages are fine."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from channels.waha import message
from memory.domain.changes import RawEvent
from server.work.upkeep import keep_up
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


BAD_EVENTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no object": (lambda _: [1, 2], "body"),
    "no event": (lambda event: without(event, "event"), "event"),
    "unknown event": (lambda event: event | {"event": "weather.changed"}, "event"),
    "event is a number": (lambda event: event | {"event": 7}, "event"),
    "no payload": (lambda event: without(event, "payload"), "payload"),
    "payload is text": (lambda event: event | {"payload": "hi"}, "payload"),
    "no message id": (lambda event: without(event, "payload", "id"), "payload.id"),
    "odd message id": (lambda e: e | {"payload": e["payload"] | {"id": "nonsense"}}, "payload.id"),
    "body is an object": (
        lambda e: e | {"payload": e["payload"] | {"body": {"a": 1}}},
        "payload.body",
    ),
    "another session": (lambda event: event | {"session": "other"}, "session"),
}


async def kept(app: Running) -> list[RawEvent]:
    tenants = app.service.settings.served_tenants
    return await app.service.agent.stores.memory.events.kept(tenants, 100)


async def body_of(app: Running, event: RawEvent) -> bytes | None:
    tenants = app.service.settings.served_tenants
    return await app.service.agent.stores.memory.events.body(tenants, event.event_id)


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


async def test_every_malformed_event_is_kept_with_its_reason_in_one_line(
    app: Running, gateway: WahaGateway
) -> None:
    for name, (spoil, what) in BAD_EVENTS.items():
        body = json.dumps(spoil(gateway.event("Hi", CHAT))).encode()
        answer = await app.post(body, _signature(gateway, body))
        assert (name, answer.status_code) == (name, 200), answer.text
        assert answer.json() == {"status": "unreadable"}
        (event, *_) = await kept(app)
        assert (event.channel, event.account, event.size) == ("waha", "default", len(body))
        assert what in event.reason, name
        assert "\n" not in event.reason
        assert await body_of(app, event) == body
    assert await app.count("events") == len(BAD_EVENTS)
    await check_unharmed(app)


async def test_what_nobody_foresaw_is_logged_by_event_kind_and_place_and_without_a_word(
    app: Running,
    gateway: WahaGateway,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_session: object, _parts: object, payload: Any) -> None:
        raise ValueError(f"cannot do with {payload.body!r}")

    monkeypatch.setattr(message, "_message", broken)
    body, headers = gateway.signed(gateway.event("the secret words", CHAT))
    assert (await app.post(body, headers)).json() == {"status": "unreadable"}
    for each in caplog.records:
        assert "secret" not in logging.Formatter().format(each)
        assert "secret" not in f"{each.args} {each.exc_text}"
    (event,) = await kept(app)
    assert event.reason.startswith("malformed webhook: body cannot be read (ValueError at ")
    (record,) = [each for each in caplog.records if each.name == "server.receiving.intake"]
    assert (record.levelname, record.exc_info) == ("ERROR", None)
    assert record.getMessage() == f"event {event.event_id} of waha/default: {event.reason}"
    assert "(ValueError at channels.waha.message:" in record.getMessage()
    assert await body_of(app, event) == body


async def test_bodies_that_are_no_json_are_kept(app: Running, gateway: WahaGateway) -> None:
    bodies = (b"", b"{", b"\xff\xfe", b"[" * 100_000)
    for body in bodies:
        answer = await app.post(body, _signature(gateway, body))
        assert (answer.status_code, answer.json()) == (200, {"status": "unreadable"})
    events = await kept(app)
    assert {event.reason for event in events} == {"malformed webhook: body is no JSON"}
    assert len(events) == len(bodies)
    await check_unharmed(app)


async def test_the_same_unreadable_body_is_kept_once_and_counted(
    app: Running, gateway: WahaGateway
) -> None:
    for _ in range(3):
        await app.post(b"{", _signature(gateway, b"{"))
    (event,) = await kept(app)
    assert event.times == 3


async def test_unreadable_bodies_are_bounded_for_each_account(app: Running) -> None:
    events = app.service.agent.stores.memory.events
    for number in range(40):
        await events.keep("t", "waha", "big", "no reason", bytes([number]) * 1024 * 1024)
    await events.keep("t", "waha", "other", "no reason", b"x")
    big = [event for event in await events.kept(["t"], 100) if event.account == "big"]
    assert len(big) == 32
    body = await events.body(["t"], big[0].event_id)
    assert body is not None
    assert body[0] == 39


async def test_an_unreadable_body_goes_after_30_days_though_no_other_comes(app: Running) -> None:
    stores = app.service.agent.stores
    for tenant, account in (("t", "gone"), ("t", "other"), ("u", "gone")):
        await stores.memory.events.keep(tenant, "waha", account, "no reason", b"x")
    async with stores.pool.connection() as connection:
        await connection.execute(
            "update events set received_at = now() - interval '31 days' where account = 'gone'"
        )
    await keep_up(stores, "t")
    left = await stores.memory.events.kept(["t", "u"], 100)
    assert [(each.tenant, each.account) for each in left] == [("u", "gone"), ("t", "other")]


async def test_what_is_not_signed_is_not_kept(app: Running) -> None:
    assert (await app.post(b"{", {})).status_code == 401
    assert (await app.post(b"{", {"X-Webhook-Hmac": "0" * 128})).status_code == 401
    assert await app.count("events") == 0


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
    for name in ("presence.update", "label.upsert", "message.waiting"):
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
