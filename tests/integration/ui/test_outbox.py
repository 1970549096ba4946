"""`recollect outbox dismiss`: what was looked at is out of the way, and goes like what was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.work import DeliveryStatus
from server.work.upkeep import BODY_S, ROW_S, keep_up
from tests.integration.server.sending import reply, statuses
from ui.cli import listings

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def same(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands use the test's stores."""

    @asynccontextmanager
    async def opened(_: Settings) -> AsyncIterator[Stores]:
        yield stores

    monkeypatch.setattr(listings, "open_stores", opened)


async def _settled(stores: Stores, chat_id: str, status: DeliveryStatus) -> int:
    """Store a reply whose attempt came to this; return its number."""
    await reply(stores, "a", chat_id, "words of a reply")
    (taken,) = await stores.memory.outbox.take([stores.settings.tenant], ["waha"], "me")
    await stores.memory.outbox.settle(taken, status)
    return int(taken.delivery_id)


async def _later(stores: Stores, seconds: float) -> None:
    at = stores.clock() + timedelta(seconds=seconds)
    await keep_up(replace(stores, clock=lambda: at), stores.settings.tenant)


async def _bodies(stores: Stores) -> list[str]:
    async with stores.pool.connection() as connection:
        query = "select body from outbox where tenant = %s order by delivery_id"
        rows = await (await connection.execute(query, [stores.settings.tenant])).fetchall()
    return [row["body"] for row in rows]


async def test_one_is_dismissed_or_all_and_nothing_else(
    stores: Stores, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = stores.settings
    await _settled(stores, "1@c.us", "sent")
    one = await _settled(stores, "2@c.us", "unknown")
    await _settled(stores, "3@c.us", "failed")
    await reply(stores, "a", "4@c.us")
    another = settings.model_copy(update={"tenant": "someone-else"})
    assert await listings.dismiss_replies(another, one) == 1
    assert capsys.readouterr().err == (
        f"recollect: no reply {one} is unknown or failed: `recollect outbox` lists them.\n"
    )
    assert await listings.dismiss_replies(settings, one) == 0
    assert await statuses(stores) == {"sent": 1, "dismissed": 1, "failed": 1, "queued": 1}
    assert await listings.dismiss_replies(settings, one) == 1
    assert await listings.dismiss_replies(settings, None) == 0
    assert await statuses(stores) == {"sent": 1, "dismissed": 2, "queued": 1}
    assert await listings.dismiss_replies(settings, None) == 0
    assert (
        capsys.readouterr().out == "Dismissed: 1.\nDismissed: 1.\nNo reply is unknown or failed.\n"
    )


@pytest.mark.parametrize("status", ["unknown", "failed"])
async def test_a_reply_of_unknown_fate_keeps_its_text_for_a_day(
    stores: Stores, status: DeliveryStatus
) -> None:
    number = await _settled(stores, "2@c.us", status)
    await _later(stores, BODY_S - 60)
    assert await _bodies(stores) == ["words of a reply"]
    await _later(stores, BODY_S + 60)
    assert await _bodies(stores) == [""]
    await _later(stores, 3 * ROW_S)
    assert await statuses(stores) == {status: 1}
    await listings.dismiss_replies(stores.settings, number)
    await _later(stores, ROW_S - 60)
    assert await statuses(stores) == {"dismissed": 1}
    await _later(stores, ROW_S + 60)
    assert await _bodies(stores) == []


async def test_an_echo_says_that_a_dismissed_reply_was_sent(stores: Stores) -> None:
    await _settled(stores, "2@c.us", "unknown")
    await listings.dismiss_replies(stores.settings, None)
    chat = ChatRef(stores.settings.tenant, "waha", "a", "2@c.us")
    echo = Message(chat, "E1", Actor.OWNER, "a", "waha:2@c.us", "words of a reply", stores.clock())
    assert await stores.memory.outbox.match_echo(echo)
    assert await statuses(stores) == {"sent": 1}
