"""Polling for Telegram's updates goes on, whatever fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from channels.inbound import Inbound
from memory.domain.chats import Message
from server.receiving import telegram
from server.receiving.intake import handle
from server.service import Service
from tests.fakes.telegram_api import TelegramApi
from tests.integration.server.conftest import Start
from tests.integration.server.running import eventually

pytestmark = pytest.mark.anyio
BOT = "7001"


@pytest.fixture
def api() -> Iterator[TelegramApi]:
    with TelegramApi() as running:
        yield running


def say(api: TelegramApi, text: str, number: int) -> None:
    who = {"id": 555, "is_bot": False, "first_name": "Ana"}
    chat = {"id": 555, "type": "private", "first_name": "Ana"}
    message = {"message_id": number, "from": who, "chat": chat, "date": int(time.time())}
    api.push({"update_id": api.next_update_id(), "message": message | {"text": text}})


async def test_polling_outlives_any_failure_and_one_update_holds_up_no_other(
    start: Start,
    api: TelegramApi,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(telegram, "RETRY_S", 0.05)
    breaks = iter([True])

    async def breaking(service: Service, account: str, inbound: Inbound, raw: bytes) -> str:
        if isinstance(inbound, Message) and inbound.text == "poison":
            raise ValueError("poison")
        return await handle(service, account, inbound, raw)

    monkeypatch.setattr(telegram, "handle", breaking)
    settings = {"RECOLLECT_TELEGRAM_TOKENS": api.token(), "RECOLLECT_TELEGRAM_API_URL": api.url}
    async with start(**settings) as app:
        client = app.service.bots.client(BOT)
        fetch = client.updates

        async def fetching(offset: int, timeout_s: float) -> list[dict[str, Any]]:
            if next(breaks, False):
                raise RuntimeError("poison")
            return await fetch(offset, min(timeout_s, 1))

        monkeypatch.setattr(client, "updates", fetching)
        polling = asyncio.create_task(telegram.poll(app.service, BOT))
        for number, text in enumerate(("poison", "Hello there"), start=1):
            say(api, text, number)
        assert await eventually(lambda: len(api.sent) == 1)
        assert not polling.done()
        (kept,) = await app.rows("select reason from events")
        assert kept["reason"] == "ValueError"
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)
    assert "Telegram's updates wait: RuntimeError" in caplog.text
    assert "poison" not in caplog.text
