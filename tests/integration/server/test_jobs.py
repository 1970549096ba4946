"""Turns by jobs: debounce over processes and restarts, lost jobs, dead workers, dead letters."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph.bootstrap import agent_on, open_stores
from graph.settings import Settings
from memory.domain.chats import Actor, ChatRef, Message
from memory.errors import InvalidMessage
from memory.postgres.jobs import TASK, queue_of
from nodes.state import message_from_json
from server.work.upkeep import IDLE_S, ROW_S, keep_up
from tests.benchmarks.statements import counted
from tests.fakes.openai_server import OpenAIServer, Slow
from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import PACE, Running, eventually, running
from tests.messages import message

pytestmark = pytest.mark.anyio
CHAT = "4911@c.us"
QUIET_S = 0.6


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(default="Noted.") as server:
        yield server


@pytest.fixture
def debounced(settings: Callable[..., Settings], model: OpenAIServer) -> Settings:
    """Settings with a debounce that a test can watch."""
    return settings(
        RECOLLECT_MODEL="fake",
        OPENAI_BASE_URL=f"{model.url}/v1",
        RECOLLECT_DEBOUNCE_MS=f"{QUIET_S * 1000:.0f}",
        RECOLLECT_DEBOUNCE_MAX_MS="2000",
    )


@pytest.fixture
async def fleet(debounced: Settings, gateway: WahaGateway) -> AsyncIterator[list[Running]]:
    """Two that serve, two that work, each with stores of its own."""
    async with AsyncExitStack() as stack:
        found = [
            await stack.enter_async_context(running(debounced, gateway, with_worker=works))
            for works in (False, False, True, True)
        ]
        yield found


def chat_of(app: Running, chat_id: str = CHAT) -> ChatRef:
    return ChatRef(app.service.settings.tenant, "waha", "default", chat_id)


def contact_says(chat: ChatRef, message_id: str, text: str = "Hi") -> Message:
    now = datetime.now(UTC)
    return Message(chat, message_id, Actor.CONTACT, chat.chat_id, f"waha:{chat.chat_id}", text, now)


async def is_idle(app: Running) -> bool:
    health = (await app.http.get("/health")).json()
    return not health["pending_messages"] and health["jobs"] == {"waiting": 0, "running": 0}


async def test_five_rapid_messages_by_two_servers_are_one_turn_of_two_workers(
    fleet: list[Running], model: OpenAIServer
) -> None:
    first, second, *_ = fleet
    for number in range(5):
        last_at = time.monotonic()
        await (first, second)[number % 2].say(f"line {number}", CHAT)
        await asyncio.sleep(0.1)
    assert await eventually(lambda: len(first.answers(CHAT)) == 1)
    assert time.monotonic() - last_at >= QUIET_S
    await asyncio.sleep(1)
    assert len(first.answers(CHAT)) == 1
    assert model.calls == 1
    assert await is_idle(first)
    (turn,) = await first.rows("select count(distinct turn_id) as n from messages")
    assert turn["n"] == 1


async def test_a_sender_who_does_not_stop_is_answered_at_the_latest_after_the_maximum(
    fleet: list[Running],
) -> None:
    app = fleet[0]
    started = time.monotonic()
    while not app.answers(CHAT) and time.monotonic() - started < 20:
        await app.say("and another thing", CHAT)
        await asyncio.sleep(0.2)
    assert app.answers(CHAT)
    assert time.monotonic() - started >= 2.0
    assert await eventually(lambda: is_idle(app))


async def test_two_senders_of_a_group_wait_apart(
    fleet: list[Running], gateway: WahaGateway
) -> None:
    app, group = fleet[0], "120363@g.us"
    mention = {"mentionedJID": [gateway.me], "pushName": "Sam"}
    for sender in ("4921@c.us", "4922@c.us"):
        for number in range(2):
            event = gateway.event(f"@bot {sender} {number}", group, sender=sender, _data=mention)
            await app.post(*gateway.signed(event))
    assert await eventually(lambda: len(app.answers(group)) == 2)
    await asyncio.sleep(1)
    assert len(app.answers(group)) == 2
    (row,) = await app.rows("select count(*) as n from turns where state = 'done'")
    assert row["n"] == 2


async def test_a_debounce_outlives_a_restart(debounced: Settings, gateway: WahaGateway) -> None:
    async with running(debounced, gateway, with_worker=False) as web:
        for number in range(3):
            await web.say(f"line {number}", CHAT)
    await asyncio.sleep(0.2)
    async with running(debounced, gateway) as app:
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        await asyncio.sleep(1)
        assert len(app.answers(CHAT)) == 1


async def test_a_message_whose_job_was_lost_is_found(start: Start) -> None:
    async with start() as app:
        stores, chat = app.service.agent.stores, chat_of(app)
        await stores.memory.ledger.record([contact_says(chat, "lost")])
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)


async def test_an_unfinished_turn_without_a_job_is_found_at_start(
    settings: Callable[..., Settings], gateway: WahaGateway, model: OpenAIServer
) -> None:
    given = settings(RECOLLECT_MODEL="fake", OPENAI_BASE_URL=f"{model.url}/v1")
    model.script(Slow("late", 30))
    async with running(given, gateway, pace=replace(PACE, stop_s=0.1)) as app:
        await app.say("Hello there", CHAT)
        assert await eventually(lambda: model.calls == 1)
    async with running(given, gateway, with_worker=False) as app:
        assert (await app.http.get("/health")).json()["jobs"]["waiting"] == 1
        await app.rows("delete from procrastinate_jobs returning id")
    async with running(given, gateway) as app:
        assert await eventually(lambda: app.answers(CHAT) == ["Noted."])


async def test_the_chat_of_a_dead_worker_is_taken_over(
    settings: Callable[..., Settings], gateway: WahaGateway
) -> None:
    given = settings()
    async with running(given, gateway, with_worker=False) as web:
        await web.say("Hello there", CHAT)
        await web.rows("update procrastinate_jobs set status = 'doing' returning id")
        alive = chat_of(web, "4912@c.us")
        await web.say("Hello too", "4912@c.us")
        await web.rows("update procrastinate_jobs set status = 'doing' returning id")
        async with web.service.agent.stores.memory.locks.hold(alive.thread_id):
            started = time.monotonic()
            async with running(given, gateway) as worker:
                assert await eventually(lambda: len(worker.answers(CHAT)) == 1)
                assert time.monotonic() - started < 6
                await asyncio.sleep(1)
                assert worker.answers("4912@c.us") == []


async def test_a_message_that_no_turn_can_claim_becomes_a_dead_letter_and_blocks_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(data: dict[str, Any]) -> Message:
        if data["message_id"] == "poison":
            raise InvalidMessage("poison cannot be read")
        return message_from_json(data)

    monkeypatch.setattr("nodes.normalize.message_from_json", read)
    async with start() as app:
        stores, chat = app.service.agent.stores, chat_of(app)
        await stores.memory.ledger.record([contact_says(chat, "poison")])

        async def is_buried() -> bool:
            return len((await app.http.get("/turns")).json()["turns"]) == 1

        assert await eventually(is_buried)
        (turn,) = (await app.http.get("/turns")).json()["turns"]
        assert turn["reason"] == "poison cannot be read"
        assert await eventually(lambda: is_idle(app))
        await app.say("Are you there?", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)


async def test_a_stop_hands_a_long_turn_to_the_other_worker(
    settings: Callable[..., Settings], gateway: WahaGateway, model: OpenAIServer
) -> None:
    given = settings(RECOLLECT_MODEL="fake", OPENAI_BASE_URL=f"{model.url}/v1")
    model.script(Slow("late", 30))
    async with AsyncExitStack() as stack:
        hasty = running(given, gateway, pace=replace(PACE, stop_s=0.3))
        app = await hasty.__aenter__()
        await app.say("Hello there", CHAT)
        assert await eventually(lambda: model.calls == 1)
        other = await stack.enter_async_context(running(given, gateway))
        started = time.monotonic()
        await hasty.__aexit__(None, None, None)
        assert await eventually(lambda: other.answers(CHAT) == ["Noted."])
        assert time.monotonic() - started < 6


async def test_jobs_and_the_queues_name_hold_ids_only(start: Start) -> None:
    async with start(RECOLLECT_DEBOUNCE_MS="60000", RECOLLECT_DEBOUNCE_MAX_MS="60000") as app:
        await app.say("the secret words", CHAT)
        (job,) = await app.rows("select * from procrastinate_jobs where task_name = %s", TASK)
        assert "secret" not in json.dumps(job, default=str)
        assert job["task_name"] == TASK
        assert job["queue_name"] == queue_of(app.service.settings.tenant)
        assert set(job["args"]) == {"tenant", "channel", "account", "chat_id", "topic", "failures"}


async def test_a_tenants_name_of_any_length_has_a_queue(
    settings: Callable[..., Settings], gateway: WahaGateway
) -> None:
    async with running(settings(RECOLLECT_TENANT="ä" * 200), gateway) as app:
        await app.say("Hello there", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)


async def test_a_sooner_time_is_kept_and_a_postponement_replaces_it(
    settings: Callable[..., Settings],
) -> None:
    async with open_stores(settings()) as stores:
        chat = ChatRef(stores.settings.tenant, "waha", "default", CHAT)

        async def due_in() -> float:
            async with stores.pool.connection() as connection:
                cursor = await connection.execute(
                    "select extract(epoch from scheduled_at - now())::float as s"
                    " from procrastinate_jobs where task_name = %s",
                    [TASK],
                )
                (row,) = await cursor.fetchall()
                return float(row["s"])

        await stores.memory.jobs.schedule(chat, 10)
        await stores.memory.jobs.schedule(chat, 50)
        assert 9 < await due_in() <= 10
        await stores.memory.jobs.postpone(chat, 50, 3)
        assert 49 < await due_in() <= 50
        await stores.memory.jobs.schedule(chat, 5)
        assert 4 < await due_in() <= 5


async def test_a_message_and_its_job_are_stored_by_one_statement_once(
    settings: Callable[..., Settings],
) -> None:
    async with open_stores(settings()) as stores:
        agent = agent_on(stores)
        said = message("Hello there", tenant=stores.settings.tenant)
        sent: list[str] = []
        with counted(sent.append):
            await agent.take_in(said)
        assert [each for each in sent if "record_messages" in each] == [
            each for each in sent if "procrastinate_jobs" in each
        ]
        assert (await stores.memory.jobs.counts([said.chat.tenant])).waiting == 1

        async with stores.pool.connection() as connection:
            await connection.execute(
                "delete from procrastinate_jobs where lock = %s", [said.chat.thread_id]
            )
        assert (await agent.take_in(said)).outcome == "known"
        assert (await stores.memory.jobs.counts([said.chat.tenant])).waiting == 0


async def test_upkeep_prunes_idle_chats_and_settled_deliveries(start: Start) -> None:
    async with start() as app:
        for number in range(3):
            await app.say(f"line {number}", CHAT)
            assert await eventually(lambda number=number: len(app.answers(CHAT)) > number)
        assert await eventually(lambda: is_idle(app))
        stores = app.service.agent.stores
        tenant = stores.settings.tenant
        before = await app.count("checkpoints")
        assert await keep_up(stores, tenant) == 0
        assert await app.count("checkpoints") == before > 3

        async def later(seconds: float) -> int:
            moved = replace(stores, clock=lambda: datetime.now(UTC) + timedelta(seconds=seconds))
            return await keep_up(moved, tenant)

        assert await later(IDLE_S + 60) == 1
        assert await app.count("checkpoints") == 1
        assert await app.count("outbox where body <> ''") == 0
        assert await later(ROW_S + 60) == 0
        assert await app.count("outbox") == 0
        await app.say("Do you still know me?", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 4)
