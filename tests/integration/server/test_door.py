"""Who is let in: holders of the key or, without one, who sits at this machine."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running

pytestmark = pytest.mark.anyio

KEY = "a-key-of-many-characters"
ROUTES = (
    ("GET", "/contacts/waha:4911@c.us/context"),
    ("GET", "/contacts/waha:4911@c.us/messages"),
    ("GET", "/contacts/waha:4911@c.us/entities"),
    ("GET", "/contacts/waha:4911@c.us/facts"),
    ("GET", "/contacts/waha:4911@c.us/facts/home/history"),
    ("PUT", "/contacts/waha:4911@c.us/facts/home"),
    ("DELETE", "/contacts/waha:4911@c.us/facts/home"),
    ("POST", "/ingest"),
    ("GET", "/deliveries"),
    ("GET", "/turns"),
    ("GET", "/receipts"),
    ("GET", "/openapi.json"),
    ("HEAD", "/turns"),
    ("OPTIONS", "/turns"),
    ("GET", "/no/such/route"),
    ("GET", "/webhooks"),
    ("GET", "//webhooks/waha/default"),
)
REBOUND = {"Host": "evil.example:8000"}


@asynccontextmanager
async def caller(app: Running, address: str = "127.0.0.1") -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app.app, client=(address, 4000))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http:
        yield http


async def statuses(http: httpx.AsyncClient, headers: dict[str, str]) -> set[int]:
    answers = [await http.request(method, path, headers=headers) for method, path in ROUTES]
    return {answer.status_code for answer in answers}


@pytest.fixture
async def open_app(start: Start) -> AsyncIterator[Running]:
    async with start(with_worker=False) as app:
        yield app


@pytest.fixture
async def locked_app(start: Start) -> AsyncIterator[Running]:
    async with start(with_worker=False, RECOLLECT_API_KEY=KEY) as app:
        yield app


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.", "[::1", ""],
)
async def test_a_page_that_rebinds_its_name_to_this_machine_is_refused(
    open_app: Running, host: str
) -> None:
    async with caller(open_app) as http:
        assert await statuses(http, {"Host": host}) == {403}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000"])
async def test_callers_on_this_machine_are_served_without_a_key(
    open_app: Running, host: str
) -> None:
    async with caller(open_app, "::1") as http:
        assert (await http.get("/turns", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
async def test_what_a_proxy_passed_on_is_refused_without_a_key(
    open_app: Running, header: str
) -> None:
    async with caller(open_app) as http:
        assert await statuses(http, {header: "127.0.0.1"}) == {403}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999"])
async def test_a_page_of_elsewhere_cannot_write_into_memory(open_app: Running, origin: str) -> None:
    said = {"contact_id": "a", "role": "user", "conversation_id": "b", "message": "Hi"}
    async with caller(open_app) as http:
        answer = await http.post("/ingest", json=said, headers={"Origin": origin})
        assert answer.status_code == 403
        assert await open_app.count("messages") == 0


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Bearer {KEY}x",
        f"Bearer {KEY[:-1]}",
        f"Bearer {KEY} {KEY}",
        KEY,
        f"Digest {KEY}",
        "Basic !!!",
        "Basic " + base64.b64encode(b"no colon").decode(),
        "Basic " + base64.b64encode(f"{KEY}:wrong".encode()).decode(),
    ],
)
async def test_without_the_key_no_route_answers_loopback_or_not(
    locked_app: Running, given: str
) -> None:
    async with caller(locked_app) as http:
        assert await statuses(http, {"Authorization": given}) == {401}
        assert await statuses(http, {}) == {401}


async def test_a_key_that_is_no_ascii_is_a_wrong_one(locked_app: Running) -> None:
    async with caller(locked_app) as http:
        headers = [(b"authorization", "Bearer schlüssel-über-alles".encode())]
        answer = await http.get("/turns", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert "RECOLLECT_API_KEY" in answer.json()["error"]
        assert KEY not in answer.text


async def test_with_the_key_every_machine_under_every_name_is_served(locked_app: Running) -> None:
    held = {"Authorization": f"bearer {KEY}", "X-Forwarded-For": "192.0.2.7", **REBOUND}
    async with caller(locked_app, "192.0.2.7") as http:
        assert (await http.get("/turns", headers=held)).status_code == 200
        assert (await http.get("/turns", headers={"X-Api-Key": KEY})).status_code == 200


@pytest.mark.parametrize("variables", [{}, {"RECOLLECT_API_KEY": KEY}], ids=["open", "locked"])
async def test_webhooks_and_a_bare_health_need_neither_key_nor_name(
    start: Start, gateway: WahaGateway, variables: dict[str, str]
) -> None:
    async with start(with_worker=False, **variables) as app, caller(app, "192.0.2.7") as http:
        body, headers = gateway.signed(gateway.event("Hi", "4911@c.us"))
        passed_on = headers | REBOUND | {"X-Forwarded-For": "192.0.2.7"}
        answer = await http.post("/webhooks/waha/default", content=body, headers=passed_on)
        assert answer.status_code == 200
        assert (await http.get("/health", headers=REBOUND)).json() == {"status": "ok"}
    async with start(with_worker=False, **variables) as app, caller(app) as http:
        held = {"Authorization": f"Bearer {KEY}"} if variables else {}
        assert "pending_messages" in (await http.get("/health", headers=held)).json()
