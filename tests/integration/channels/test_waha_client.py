"""The WAHA client against a gateway over real HTTP, failures and silences included."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from channels.errors import GatewayUnavailable, SendRefused, SendUncertain
from channels.waha.client import WahaClient, sent_message_id
from channels.waha.normalize import normalize
from channels.waha.payload import parse_body
from channels.waha.signature import verify
from memory.domain.chats import Actor, Message
from tests.fakes.serving import ServerThread
from tests.fakes.waha_gateway import EchoMode, Engine, WahaGateway

CHAT, GROUP, KEY = "4915770001@c.us", "120363000000000009@g.us", "k"
pytestmark = pytest.mark.anyio


@dataclass
class Receiver:
    """A webhook receiver that checks, normalises and keeps what comes in."""

    messages: list[Message] = field(default_factory=list)
    refuse: int = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/hook", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> Response:
        if self.refuse:
            self.refuse -= 1
            return Response(status_code=503)
        body = await request.body()
        verify(request.headers, body, hmac_key=KEY, shared_secret=None)
        got = normalize(
            parse_body(body),
            tenant="t",
            account="a",
            owner_ids=frozenset(),
            known_bots=frozenset(),
        )
        assert isinstance(got, Message)
        self.messages.append(got)
        return Response(status_code=204)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def gateway(receiver: Receiver) -> Iterator[WahaGateway]:
    with (
        ServerThread(receiver.app()) as server,
        WahaGateway(f"{server.url}/hook", KEY, api_key="secret") as fake,
    ):
        yield fake


_OPENED: list[httpx.AsyncClient] = []


@pytest.fixture(autouse=True)
async def _close() -> AsyncIterator[None]:
    yield
    while _OPENED:
        await _OPENED.pop().aclose()


def _client(gateway: WahaGateway, timeout_s: float = 5) -> WahaClient:
    http = httpx.AsyncClient(timeout=timeout_s)
    _OPENED.append(http)
    return WahaClient(gateway.url, "secret", "default", http)


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.01)


@pytest.mark.parametrize("engine", ["GOWS", "NOWEB", "WEBJS"])
async def test_send_returns_the_bare_id_whatever_the_engine(
    gateway: WahaGateway, engine: Engine
) -> None:
    gateway.engine = engine
    message_id = await _client(gateway).send_text(CHAT, "hi", reply_to="3EB0", mentions=[CHAT])
    (sent,) = gateway.sent
    assert (sent.message_id, sent.text, sent.mentions) == (message_id, "hi", (CHAT,))
    assert sent.reply_to == f"false_{CHAT}_3EB0"


@pytest.mark.parametrize(
    ("mode", "echoes"), [("none", 0), ("after", 1), ("before_response", 1), ("twice", 2)]
)
async def test_echoes_come_back_as_our_own(
    gateway: WahaGateway, receiver: Receiver, mode: EchoMode, echoes: int
) -> None:
    gateway.mode = mode
    message_id = await _client(gateway).send_text(CHAT, "hi")
    # One that comes after the response may still be here before it was read.
    assert len(receiver.messages) == 1 or mode != "before_response"
    _wait(lambda: len(receiver.messages) == echoes)
    assert {m.message_id for m in receiver.messages} <= {message_id}
    assert {m.actor for m in receiver.messages} <= {Actor.AUTOMATION}
    assert len({m.uid for m in receiver.messages}) <= 1


async def test_an_echo_can_come_under_another_id(gateway: WahaGateway, receiver: Receiver) -> None:
    gateway.mode = "other_id"
    message_id = await _client(gateway).send_text(GROUP, "hi")
    _wait(lambda: len(receiver.messages) == 1)
    (echo,) = receiver.messages
    assert echo.message_id != message_id
    assert (echo.text, echo.from_me, echo.is_group) == ("hi", True, True)


async def test_an_echo_is_retried_until_the_receiver_takes_it(
    gateway: WahaGateway, receiver: Receiver
) -> None:
    receiver.refuse = 3
    await _client(gateway).send_text(CHAT, "hi")
    _wait(lambda: len(receiver.messages) == 1)


@pytest.mark.parametrize("status", [400, 401, 422, 429, 500, 503])
async def test_a_refused_send_did_not_happen(gateway: WahaGateway, status: int) -> None:
    gateway.fail(1, status)
    client = _client(gateway)
    with pytest.raises(SendRefused, match=str(status)):
        await client.send_text(CHAT, "private words")
    assert gateway.sent == []
    assert await client.send_text(CHAT, "private words")


@pytest.mark.parametrize(
    ("status", "message", "is_final"),
    [
        (400, "chatId must be a chat", True),
        (413, "too large", True),
        (422, "there is no such chat", True),
        (422, "Session status is not as expected", False),
        (401, "Unauthorized", False),
        (403, "Forbidden", False),
        (404, "no such session", False),
        (425, "too early", False),
        (429, "slow down", False),
        (500, "on demand", False),
    ],
)
async def test_a_refusal_of_the_message_itself_is_final(
    gateway: WahaGateway, status: int, message: str, is_final: bool
) -> None:
    gateway.fail(1, status, message)
    with pytest.raises(SendRefused) as caught:
        await _client(gateway).send_text(CHAT, "private words")
    assert caught.value.is_final is is_final


@pytest.mark.parametrize("status", [408, 502, 504])
async def test_what_a_proxy_answers_is_uncertain(gateway: WahaGateway, status: int) -> None:
    gateway.fail(1, status)
    with pytest.raises(SendUncertain):
        await _client(gateway).send_text(CHAT, "hi")


async def test_a_send_without_answer_is_uncertain_and_can_be_looked_up(
    gateway: WahaGateway,
) -> None:
    gateway.stall(1)
    with pytest.raises(SendUncertain) as caught:
        await _client(gateway, timeout_s=0.3).send_text(CHAT, "private words")
    assert "private" not in str(caught.value)
    (found,) = await _client(gateway).recent_messages(CHAT, 5)
    assert (found["body"], found["fromMe"]) == ("private words", True)


async def test_an_unreachable_gateway_refuses() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with WahaClient(f"http://127.0.0.1:{port}", "", "default") as client:
        with pytest.raises(SendRefused):
            await client.send_text(CHAT, "hi")
        with pytest.raises(GatewayUnavailable):
            await client.start_typing(CHAT)


@pytest.mark.parametrize("url", ["", "ftp://x", "http://[broken"])
async def test_an_address_that_is_no_url_refuses(url: str) -> None:
    async with WahaClient(url, "", "default") as client:
        with pytest.raises(SendRefused):
            await client.send_text(CHAT, "hi")


async def test_a_wrong_key_is_refused_and_never_shown(gateway: WahaGateway) -> None:
    async with WahaClient(gateway.url, "not-the-key", "default") as client:
        with pytest.raises(SendRefused) as caught:
            await client.send_text(CHAT, "hi")
    assert "not-the-key" not in str(caught.value)


async def test_typing_and_seen_reach_the_gateway(gateway: WahaGateway) -> None:
    client = _client(gateway)
    await client.start_typing(CHAT)
    await client.stop_typing(CHAT)
    await client.send_seen(CHAT)
    assert [name for name, _ in gateway.calls] == ["startTyping", "stopTyping", "sendSeen"]
    assert gateway.calls[2][1] == {"session": "default", "chatId": CHAT}


async def test_recent_messages_are_the_newest_of_the_chat(gateway: WahaGateway) -> None:
    gateway.deliver("one", CHAT, timestamp=100)
    gateway.deliver("two", CHAT, timestamp=200)
    gateway.deliver("elsewhere", "1@c.us", timestamp=300)
    found = await _client(gateway).recent_messages(CHAT, 1)
    assert [message["body"] for message in found] == ["two"]


async def test_hidden_ids_are_resolved_where_known(gateway: WahaGateway) -> None:
    gateway.lids["77@lid"] = "4915770001@s.whatsapp.net"
    client = _client(gateway)
    assert await client.resolve_lid("77@lid") == CHAT
    assert await client.resolve_lid("78@lid") is None
    assert await client.resolve_lid("../../sendText") is None


async def test_a_delivered_message_passes_signature_and_normaliser(
    gateway: WahaGateway, receiver: Receiver
) -> None:
    assert gateway.deliver("hallo 👋", GROUP, sender=CHAT).status == 204
    (got,) = receiver.messages
    assert (got.text, got.contact_id, got.actor) == ("hallo 👋", f"waha:{CHAT}", Actor.CONTACT)


async def test_the_gateway_is_steered_over_http(gateway: WahaGateway) -> None:
    async with httpx.AsyncClient(base_url=gateway.url) as http:
        await http.post("/_fail", json={"count": 1, "status": 500})
        assert (await http.post("/_mode", json={"mode": "wrong"})).status_code == 422
        assert (await http.post("/_mode", json={"mode": "none"})).status_code == 200
        with pytest.raises(SendRefused):
            await _client(gateway).send_text(CHAT, "hi")
        await _client(gateway).send_text(CHAT, "again")
        assert [sent["text"] for sent in (await http.get("/_sent")).json()] == ["again"]
        delivered = await http.post("/_deliver", json={"text": "hey", "chat": CHAT})
        assert delivered.json()["status"] == 204


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"id": "3EB0"}, "3EB0"),
        ({"id": f"true_{CHAT}_3EB0", "_data": {}}, "3EB0"),
        ({"id": {"_serialized": f"true_{CHAT}_3EB0", "id": "3EB0"}}, "3EB0"),
        ({"key": {"id": "3EB0"}}, "3EB0"),
        ({"_data": {"key": {"id": "3EB0"}}}, "3EB0"),
        ({"id": "bad id"}, ""),
        ({}, ""),
        (None, ""),
        ([], ""),
    ],
)
async def test_message_id_of_an_answer(answer: object, expected: str) -> None:
    assert sent_message_id(answer) == expected
