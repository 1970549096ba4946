"""The simulated gateways, asked by the clients that the product uses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from telegram import Bot
from telegram.error import TelegramError

from channels.errors import SendRefused, SendUncertain
from channels.waha.client import WahaClient
from evals.loops.cases import Account, EchoMode
from evals.loops.gateways import FIRST_SENT_ID, RUNAWAY_SENDS, Gateways, Line

ME = {"id": "491555000100@c.us", "lid": "200100000000000@lid"}
ANA = "491555000101@c.us"
Events = list[dict[str, Any]]


@pytest.fixture
async def gateways() -> AsyncIterator[Gateways]:
    served = Gateways()
    await served.start()
    yield served
    await served.stop()


def line(events: Events, account: dict[str, Any], name: str, echo: EchoMode = "after") -> Line:
    async def post(account_name: str, event: dict[str, Any]) -> None:
        assert account_name == name
        events.append(event)

    return Line({name: Account.model_validate(account)}, echo, "GOWS", time.time, post)


def waha(gateways: Gateways, events: Events, echo: EchoMode) -> tuple[Line, WahaClient]:
    one = line(events, {"session": "s.1", "me": ME}, "s.1", echo)
    gateways.add(one)
    return one, WahaClient(gateways.url, "key", "s.1")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("echo", "copies"),
    [("none", 0), ("after", 1), ("before_response", 1), ("twice", 2), ("other_id", 1), ("lid", 1)],
)
async def test_waha_echoes_as_the_case_says(
    gateways: Gateways, echo: EchoMode, copies: int
) -> None:
    events: Events = []
    one, client = waha(gateways, events, echo)
    async with client:
        message_id = await client.send_text(ANA, "Hi")
        assert len(events) == (echo == "before_response")
        await asyncio.sleep(0.25)
        assert len(events) == copies
        assert [sent.message_id for sent in one.sent] == [message_id]
        for event in events:
            flag, chat, bare = event["payload"]["id"].split("_")
            assert flag == "true"
            assert (chat == ANA) == (echo != "lid")
            assert (bare == message_id) == (echo != "other_id")
        assert await client.resolve_lid("200100000000009@lid") is None
        (seen,) = await client.recent_messages(ANA, 5)
        assert seen["body"] == "Hi"


@pytest.mark.anyio
async def test_waha_refuses_and_loses_answers_on_demand(gateways: Gateways) -> None:
    events: Events = []
    one, _ = waha(gateways, events, "after")
    async with httpx.AsyncClient(timeout=0.5) as http:
        client = WahaClient(gateways.url, "", "s.1", http)
        one.failing, one.stalling = 1, 1
        with pytest.raises(SendRefused):
            await client.send_text(ANA, "first")
        with pytest.raises(SendUncertain):
            await client.send_text(ANA, "second")
        await client.send_text(ANA, "third")
    assert [sent.text for sent in one.sent] == ["second", "third"]
    await asyncio.sleep(0.2)
    assert len(events) == 2


@pytest.mark.anyio
async def test_an_order_in_a_loop_gets_no_more_echoes(gateways: Gateways) -> None:
    events: Events = []
    _, client = waha(gateways, events, "before_response")
    async with client:
        for number in range(RUNAWAY_SENDS + 5):
            await client.send_text(ANA, f"{number}")
    assert len(events) == RUNAWAY_SENDS


@pytest.mark.anyio
async def test_the_bot_api_is_such_that_the_library_understands_it(gateways: Gateways) -> None:
    events: Events = []
    account = {"bot": {"id": 7100000010, "username": "lumen_demo_bot"}}
    one = line(events, account, "7100000010")
    gateways.add(one)
    base = f"{gateways.url}/bot"
    async with Bot("7100000010:secret", base_url=base) as bot:
        assert (bot.id, bot.username) == (7100000010, "lumen_demo_bot")
        sent = await bot.send_message(-1005550101001, "Hi", reply_to_message_id=5)
        assert (sent.message_id, sent.chat.id, sent.text) == (FIRST_SENT_ID, -1005550101001, "Hi")
        assert await bot.send_chat_action(555, "typing")
        assert await bot.get_updates() == ()
        one.failing = 1
        with pytest.raises(TelegramError):
            await bot.send_message(555, "refused")
        topic = await bot.send_message(-1005550101001, "Ho", message_thread_id=3)
        assert (topic.message_id, topic.message_thread_id) == (FIRST_SENT_ID + 1, 3)
    assert [(one.chat_id, one.text) for one in one.sent] == [
        ("-1005550101001", "Hi"),
        ("-1005550101001", "Ho"),
    ]
    assert one.sent[0].reply_to == "5"
    assert events == []
    async with httpx.AsyncClient() as http:
        assert (await http.post(f"{base}7:unknown/getMe")).status_code == 401
