"""The Telegram client against a Bot API over real HTTP, failures and silences included."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from channels.errors import (
    BadSignature,
    ChatHasMoved,
    GatewayError,
    GatewayUnavailable,
    SendRefused,
    SendUncertain,
)
from channels.telegram.client import TelegramClient
from channels.telegram.content import BotIdentity
from channels.telegram.normalize import normalize
from channels.telegram.signature import verify_secret
from channels.wire import parse_body
from memory.domain.chats import Message
from tests.fakes.serving import ServerThread
from tests.fakes.telegram_api import TelegramApi

CHAT, GROUP, SECRET = 5001, -1005001, "a-webhook-secret"
FIRST, SECOND = "7001:secret-of-the-bot", "7002:another-secret"
WORDS = "private words"
pytestmark = pytest.mark.anyio


def _update(update_id: int, text: str = "hello") -> dict[str, Any]:
    ana = {"id": CHAT, "is_bot": False, "first_name": "Ana"}
    chat = {"id": CHAT, "type": "private", "first_name": "Ana"}
    message = {"message_id": update_id, "from": ana, "chat": chat, "date": 1790000000}
    return {"update_id": update_id, "message": message | {"text": text}}


@pytest.fixture
def api() -> Iterator[TelegramApi]:
    with TelegramApi({FIRST: "first_bot", SECOND: "second_bot"}) as fake:
        yield fake


_OPENED: list[TelegramClient] = []


@pytest.fixture(autouse=True)
async def _close() -> AsyncIterator[None]:
    yield
    while _OPENED:
        await _OPENED.pop().aclose()


def _client(url: str, token: str = FIRST, timeout_s: float = 5) -> TelegramClient:
    client = TelegramClient(token, url, timeout_s)
    _OPENED.append(client)
    return client


def _shown(caught: pytest.ExceptionInfo[GatewayError]) -> str:
    """Everything a log would show of an error."""
    return "".join(traceback.format_exception(caught.value))


async def test_identity_is_what_the_token_belongs_to(api: TelegramApi) -> None:
    assert await _client(api.url).identity() == BotIdentity(7001, "first_bot")
    assert await _client(api.url, SECOND).identity() == BotIdentity(7002, "second_bot")


async def test_a_send_returns_its_id_and_keeps_markup_topic_and_reply(api: TelegramApi) -> None:
    message_id = await _client(api.url).send_text(
        str(GROUP), "<b>1 &lt; 2</b>", reply_to="77", topic="9"
    )
    (sent,) = api.sent
    assert message_id == str(sent.message_id)
    assert sent.message_id > 900_000
    assert (sent.bot_id, sent.chat_id, sent.plain) == (7001, GROUP, "1 < 2")
    assert (sent.parse_mode, sent.topic, sent.reply_to) == ("HTML", 9, 77)
    assert '"allow_sending_without_reply": true' in api.calls[0][1]["reply_parameters"]


async def test_a_plain_send_names_no_topic_and_no_reply(api: TelegramApi) -> None:
    await _client(api.url).send_text(str(CHAT), "hi")
    assert (api.sent[0].topic, api.sent[0].reply_to) == (None, None)


async def test_markup_that_telegram_refuses_goes_out_once_more_as_words(api: TelegramApi) -> None:
    message_id = await _client(api.url).send_text(
        str(CHAT), '<b>1 < 2 &amp; <a href="https://x.example/?a=1">3</a>', topic="9"
    )
    (sent,) = api.sent
    assert (sent.text, sent.parse_mode, sent.topic) == ("1 < 2 & 3", "", 9)
    assert message_id == str(sent.message_id)
    assert [method for method, _ in api.calls] == ["sendMessage"] * 2


async def test_a_flood_says_how_long_to_wait(api: TelegramApi) -> None:
    api.flood(1, retry_after=17)
    with pytest.raises(SendRefused) as caught:
        await _client(api.url).send_text(str(CHAT), WORDS)
    assert (caught.value.retry_after_s, caught.value.is_final) == (17, False)
    assert api.sent == []


async def test_a_moved_chat_is_named(api: TelegramApi) -> None:
    api.migrate(-5001, GROUP)
    with pytest.raises(ChatHasMoved) as caught:
        await _client(api.url).send_text("-5001", WORDS)
    assert caught.value.new_chat_id == str(GROUP)
    assert await _client(api.url).send_text(caught.value.new_chat_id, WORDS)


async def test_who_blocked_us_and_chats_that_are_gone_are_final(api: TelegramApi) -> None:
    api.blocked.add(CHAT)
    api.unknown_chats.add(GROUP)
    for chat, reason in ((CHAT, "blocked by the user"), (GROUP, "chat not found")):
        with pytest.raises(SendRefused, match=reason) as caught:
            await _client(api.url).send_text(str(chat), WORDS)
        assert caught.value.is_final


@pytest.mark.parametrize("chat_id", ["", "4915@c.us", "@name"])
async def test_an_id_of_another_channel_is_refused_for_good(api: TelegramApi, chat_id: str) -> None:
    with pytest.raises(SendRefused) as caught:
        await _client(api.url).send_text(chat_id, WORDS)
    assert caught.value.is_final
    with pytest.raises(GatewayUnavailable):
        await _client(api.url).start_typing(chat_id)


@pytest.mark.parametrize("status", [301, 409, 418, 429, 500, 503])
async def test_a_refused_send_did_not_happen(api: TelegramApi, status: int) -> None:
    api.fail(1, status)
    with pytest.raises(SendRefused, match=str(status)) as caught:
        await _client(api.url).send_text(str(CHAT), WORDS)
    assert not caught.value.is_final
    assert api.sent == []
    assert await _client(api.url).send_text(str(CHAT), WORDS)


@pytest.mark.parametrize("status", [408, 502, 504])
async def test_what_a_proxy_answers_is_uncertain(api: TelegramApi, status: int) -> None:
    api.fail(1, status)
    with pytest.raises(SendUncertain):
        await _client(api.url).send_text(str(CHAT), WORDS)


async def test_a_send_without_answer_is_uncertain(api: TelegramApi) -> None:
    api.stall(1)
    with pytest.raises(SendUncertain) as caught:
        await _client(api.url, timeout_s=0.3).send_text(str(CHAT), WORDS)
    assert WORDS not in _shown(caught)
    assert [sent.plain for sent in api.sent] == [WORDS]


@pytest.mark.parametrize("answer", ["<html>", "[]", "{}", '{"ok": true, "result": {}}', "null"])
async def test_a_success_that_cannot_be_read_is_uncertain(
    answer: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def say(request: Request) -> Response:
        return PlainTextResponse(answer)

    route = Route("/{path:path}", say, methods=["GET", "POST"])
    with ServerThread(Starlette(routes=[route])) as server, caplog.at_level(logging.WARNING):
        client = _client(server.url)
        with pytest.raises(SendUncertain):
            await client.send_text(str(CHAT), WORDS)
        with pytest.raises(GatewayUnavailable):
            await client.identity()
        with pytest.raises(GatewayUnavailable):
            await client.updates(0, 0)
    assert caplog.text == ""


async def test_an_unreachable_server_refuses() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = _client(f"http://127.0.0.1:{port}")
    with pytest.raises(SendRefused, match="not reached") as caught:
        await client.send_text(str(CHAT), WORDS)
    assert not caught.value.is_final
    with pytest.raises(GatewayUnavailable):
        await client.start_typing(str(CHAT))


@pytest.mark.parametrize("url", ["", "ftp://x", "http://[broken"])
async def test_an_address_that_is_no_url_refuses(url: str) -> None:
    with pytest.raises(SendRefused) as caught:
        await _client(url).send_text(str(CHAT), WORDS)
    assert FIRST not in _shown(caught)


async def test_a_closed_client_refuses(api: TelegramApi) -> None:
    async with TelegramClient(FIRST, api.url) as client:
        await client.identity()
    with pytest.raises(SendRefused):
        await client.send_text(str(CHAT), WORDS)


async def test_a_wrong_token_names_its_setting_and_is_never_shown(api: TelegramApi) -> None:
    wrong = "7003:not-the-secret"
    client = _client(api.url, wrong)
    with pytest.raises(SendRefused, match="RECOLLECT_TELEGRAM_TOKENS") as refused:
        await client.send_text(str(CHAT), WORDS)
    with pytest.raises(GatewayUnavailable, match="RECOLLECT_TELEGRAM_TOKENS") as unavailable:
        await client.identity()
    for shown in (_shown(refused), _shown(unavailable)):
        assert "not-the-secret" not in shown
        assert WORDS not in shown


async def test_an_empty_token_names_its_setting() -> None:
    with pytest.raises(GatewayUnavailable, match="RECOLLECT_TELEGRAM_TOKENS"):
        TelegramClient("")


async def test_what_telegram_says_about_a_text_stays_out_of_the_error(api: TelegramApi) -> None:
    api.fail(1, 400, f"Bad Request: something about {WORDS}")
    with pytest.raises(SendRefused, match="HTTP 400") as caught:
        await _client(api.url).send_text(str(CHAT), WORDS)
    assert WORDS not in _shown(caught)


async def test_no_log_line_shows_token_or_text(
    api: TelegramApi, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        client = _client(api.url)
        await client.send_text(str(CHAT), WORDS)
        api.push(_update(1, WORDS))
        await client.updates(0, 0)
    assert "/bot<token>/sendMessage" in caplog.text
    assert FIRST not in caplog.text
    assert FIRST.partition(":")[2] not in caplog.text
    assert WORDS not in caplog.text


async def test_typing_reaches_the_topic(api: TelegramApi) -> None:
    await _client(api.url).start_typing(str(GROUP), "9")
    ((method, params),) = api.calls
    assert (method, params["action"]) == ("sendChatAction", "typing")
    assert (params["chat_id"], params["message_thread_id"]) == (str(GROUP), "9")


async def test_updates_come_in_order_until_confirmed(api: TelegramApi) -> None:
    client = _client(api.url)
    for update_id in (12, 10, 11):
        api.push(_update(update_id))
    assert [update["update_id"] for update in await client.updates(0, 0)] == [10, 11, 12]
    assert (await client.updates(12, 0)) == [_update(12)]
    assert await client.updates(13, 0) == []


async def test_each_bot_gets_its_own_updates(api: TelegramApi) -> None:
    api.push(_update(1), 7002)
    assert await _client(api.url, FIRST).updates(0, 0) == []
    assert await _client(api.url, SECOND).updates(0, 0) == [_update(1)]


async def test_polling_waits_for_longer_than_a_call_may_take(api: TelegramApi) -> None:
    client = _client(api.url, timeout_s=0.5)
    started = time.monotonic()
    assert await client.updates(0, 1) == []
    assert 0.9 < time.monotonic() - started < 3


async def test_updates_that_cannot_be_read_do_not_hold_up_others(api: TelegramApi) -> None:
    broken: dict[str, Any] = {"update_id": 1, "message": {"chat": None}}
    api.push(broken)
    api.push(_update(2))
    assert await _client(api.url).updates(0, 0) == [broken, _update(2)]


async def test_reactions_are_asked_for(api: TelegramApi) -> None:
    reaction: dict[str, Any] = {"update_id": 1, "message_reaction": {}}
    api.push(reaction)
    assert await _client(api.url).updates(0, 0) == [reaction]


async def test_polling_against_a_webhook_says_why_it_fails(api: TelegramApi) -> None:
    client = _client(api.url)
    await client.set_webhook("https://example.com/hook", SECRET)
    assert (api.bots[FIRST].webhook_url, api.bots[FIRST].secret) == (
        "https://example.com/hook",
        SECRET,
    )
    assert "message_reaction" in api.bots[FIRST].allowed
    with pytest.raises(GatewayUnavailable, match="409"):
        await client.updates(0, 0)
    await client.delete_webhook()
    assert await client.updates(0, 0) == []


@dataclass
class Receiver:
    """A webhook receiver that checks, normalises and keeps what comes in."""

    messages: list[Message] = field(default_factory=list)
    refuse: int = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/hook", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> Response:
        try:
            verify_secret(request.headers, SECRET)
        except BadSignature:
            return Response(status_code=401)
        if self.refuse:
            self.refuse -= 1
            return Response(status_code=503)
        got = normalize(
            parse_body(await request.body()),
            tenant="t",
            account="7001",
            bot=BotIdentity(7001, "first_bot"),
            owner_ids=frozenset(),
            known_bots=frozenset(),
        )
        assert isinstance(got, Message)
        self.messages.append(got)
        return Response(status_code=204)


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.01)


async def test_a_webhook_is_retried_until_taken_and_carries_the_secret(api: TelegramApi) -> None:
    receiver = Receiver(refuse=2)
    with ServerThread(receiver.app()) as server:
        await _client(api.url).set_webhook(f"{server.url}/hook", SECRET)
        api.push(_update(1, "hallo 👋"))
        _wait(lambda: len(receiver.messages) == 1)
        assert receiver.messages[0].text == "hallo 👋"
        assert api.post(_update(2)) == 204
        api.bots[FIRST].secret = "another"
        assert api.post(_update(3)) == 401


async def test_the_server_is_steered_over_http(api: TelegramApi) -> None:
    client = _client(api.url)
    async with httpx.AsyncClient(base_url=api.url) as http:
        await http.post("/_fail", json={"count": 1, "status": 500})
        await http.post("/_fail", json={"count": 1, "retry_after": 3})
        for _ in range(2):
            with pytest.raises(SendRefused):
                await client.send_text(str(CHAT), "hi")
        await client.send_text(str(CHAT), "again")
        assert [sent["text"] for sent in (await http.get("/_sent")).json()] == ["again"]
        await http.post("/_push", json={"update": _update(5)})
        assert await client.updates(0, 0) == [_update(5)]
