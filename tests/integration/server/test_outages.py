"""Stores, models and the gateway go down and come back: nothing is lost, nothing is said twice."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from psycopg import conninfo

from graph.settings import Settings
from tests.fakes.openai_server import Answer, Cut, Failure, Garbage, OpenAIServer, Slow
from tests.fakes.waha_gateway import WahaGateway
from tests.fakes.wire import Wire
from tests.integration.server.conftest import Start
from tests.integration.server.running import PACE, Running, eventually, running

pytestmark = pytest.mark.anyio
CHAT = "4911@c.us"


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(default="All good again.") as server:
        yield server


def using(model: OpenAIServer, **more: str) -> dict[str, str]:
    return {
        "RECOLLECT_MODEL": "fake",
        "RECOLLECT_MODEL_ATTEMPTS": "1",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        **more,
    }


async def failed_turns(app: Running) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (await app.http.get("/turns")).json()["turns"]
    return found


@pytest.mark.parametrize(
    "trouble",
    [
        Failure(500),
        Failure(429),
        Slow("late", 3),
        Cut("half a word"),
        Cut("half a word", politely=True),
    ],
)
async def test_a_turn_whose_model_fails_is_marked_and_answered_when_it_is_back(
    start: Start, model: OpenAIServer, trouble: Failure | Slow | Cut
) -> None:
    model.script(*[trouble] * 3)
    async with start(**using(model, RECOLLECT_MODEL_TIMEOUT_S="0.3")) as app:
        await app.say("Hello there", CHAT)

        async def is_marked() -> bool:
            return len(await failed_turns(app)) == 1

        assert await eventually(is_marked)
        assert "model" in (await failed_turns(app))[0]["reason"].lower()
        assert app.answers(CHAT) == []
        assert await eventually(lambda: app.answers(CHAT) == ["All good again."])
        assert await failed_turns(app) == []
        await asyncio.sleep(0.5)
        assert len(app.answers(CHAT)) == 1


async def test_a_model_that_stays_down_leaves_a_listed_turn_and_no_word_to_the_contact(
    settings: object, gateway: WahaGateway, model: OpenAIServer
) -> None:
    from dataclasses import replace

    model.default = "never"
    model.respond = lambda _: Failure(500)
    assert callable(settings)
    made = settings(**using(model))
    assert isinstance(made, Settings)
    async with running(made, gateway, pace=replace(PACE, attempts=2)) as app:
        await app.say("Hello there", CHAT)
        assert await eventually(lambda: model.calls == 2)
        await asyncio.sleep(1)
        assert model.calls == 2
        (turn,) = await failed_turns(app)
        assert "HTTP 500" in turn["reason"]
        assert app.answers(CHAT) == []
        assert (await app.http.get("/health")).json()["failed_turns"] == 1
        model.respond = None
        await app.say("Are you there?", CHAT)
        assert await eventually(lambda: app.answers(CHAT) == ["never"])
        assert model.calls == 3
        assert [each["turn_id"] for each in await failed_turns(app)] == [turn["turn_id"]]
        async for _ in app.service.agent.retry(turn["turn_id"]):
            pass
        assert await failed_turns(app) == []
        assert await eventually(lambda: len(app.answers(CHAT)) == 2)


ATTEMPTS = 3


@pytest.mark.parametrize(
    ("trouble", "calls"), [("", ATTEMPTS), (Garbage(), ATTEMPTS), (Failure(400), 1)]
)
async def test_a_message_that_fails_for_good_costs_few_calls_and_the_next_one_is_answered(
    start: Start, model: OpenAIServer, trouble: Answer, calls: int
) -> None:
    def respond(body: dict[str, Any]) -> Answer:
        return trouble if "poison" in str(body["messages"][-1]) else "fine"

    model.respond = respond
    async with start(**using(model, RECOLLECT_MODEL_ATTEMPTS=str(ATTEMPTS))) as app:
        await app.say("poison", CHAT)

        async def is_listed() -> bool:
            return len(await failed_turns(app)) == 1

        assert await eventually(is_listed)
        await asyncio.sleep(1)
        assert model.calls == calls
        await app.say("And this one?", CHAT)
        assert await eventually(lambda: app.answers(CHAT) == ["fine"])
        assert model.calls == calls + 1
        (turn,) = await failed_turns(app)
        model.respond = lambda _: "at last"
        async for _ in app.service.agent.retry(turn["turn_id"]):
            pass
        assert await eventually(lambda: app.answers(CHAT) == ["fine", "at last"])
        assert await failed_turns(app) == []


async def test_typing_stops_when_there_is_no_reply(start: Start, model: OpenAIServer) -> None:
    model.script(Failure(400), "fine")
    async with start(**using(model)) as app:

        def shown() -> list[str]:
            return [name for name, _ in app.gateway.calls]

        await app.say("Hello there", CHAT)
        assert await eventually(lambda: shown() == ["sendSeen", "startTyping", "stopTyping"])
        app.gateway.calls.clear()
        await app.say("Hello again", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        await asyncio.sleep(0.3)
        assert sorted(shown()) == ["sendSeen", "sendText", "startTyping"]


async def test_a_number_that_the_gateway_does_not_take_is_not_tried_again(
    start: Start, gateway: WahaGateway
) -> None:
    async with start() as app:
        gateway.fail(1, 400, "not a chat")
        await app.say("Hello there", CHAT)

        async def is_failed() -> bool:
            return await app.count("outbox where status = 'failed'") == 1

        assert await eventually(is_failed)
        (row,) = await app.rows("select attempts from outbox")
        assert row["attempts"] == 1
        assert len((await app.http.get("/deliveries?status=failed")).json()["deliveries"]) == 1


async def test_one_chats_failure_does_not_hold_up_another(
    start: Start, model: OpenAIServer
) -> None:
    model.respond = lambda body: Failure(500) if "poison" in str(body) else "fine"
    async with start(**using(model)) as app:
        await app.say("poison", CHAT)
        await app.say("hello", "4912@c.us")
        assert await eventually(lambda: app.answers("4912@c.us") == ["fine"])
        assert app.answers(CHAT) == []


async def test_a_young_chat_is_answered_without_chroma_and_indexed_when_it_is_back(
    start: Start, servers: dict[str, str]
) -> None:
    async with AsyncExitStack() as stack:
        app, wire = await stack.enter_async_context(_behind_a_wire(start, servers))
        tenant = app.service.settings.tenant
        vectors = app.service.agent.stores.memory.vectors
        await wire.cut()
        assert (await app.say("Hello there", CHAT)).status_code == 200
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        await wire.mend()

        async def is_indexed() -> bool:
            return await vectors.count(tenant, "message") == 1

        assert await eventually(is_indexed)
        assert len(app.answers(CHAT)) == 1


@asynccontextmanager
async def _behind_a_wire(
    start: Start, servers: dict[str, str]
) -> AsyncIterator[tuple[Running, Wire]]:
    """Start the app, for a tenant that nobody had before, with a wire to Chroma that can be cut."""
    parts = urlsplit(servers["RECOLLECT_CHROMA_URL"])
    async with (
        Wire(lambda: asyncio.open_connection(parts.hostname, parts.port)) as wire,
        start(
            RECOLLECT_CHROMA_URL=f"http://127.0.0.1:{wire.port}",
            RECOLLECT_TENANT=uuid.uuid4().hex,
        ) as app,
    ):
        yield app, wire


async def test_postgres_down_is_answered_503_and_the_turn_is_finished_when_it_is_back(
    settings: object, gateway: WahaGateway, model: OpenAIServer
) -> None:
    assert callable(settings)
    given = settings(**using(model))
    assert isinstance(given, Settings)
    assert given.database_url is not None
    url = given.database_url.get_secret_value()
    async with Wire(lambda: _open_postgres(url)) as wire:
        proxied = settings(**using(model), RECOLLECT_DATABASE_URL=_through(url, wire.port))
        assert isinstance(proxied, Settings)
        model.script(Slow("Here I am.", 1.0))
        async with running(proxied, gateway) as app:
            await app.say("Hello there", CHAT)
            assert await eventually(lambda: model.calls == 1)
            await wire.cut()
            refused = await app.say("Anybody there?", "4912@c.us")
            assert refused.status_code == 503
            assert "RECOLLECT_DATABASE_URL" in refused.json()["error"]
            health = await app.http.get("/health")
            assert (health.status_code, health.json()["status"]) == (503, "down")
            await asyncio.sleep(1)
            await wire.mend()
            assert await eventually(lambda: len(app.answers(CHAT)) == 1, 40)
            await app.say("And now?", "4912@c.us")
            assert await eventually(lambda: len(app.answers("4912@c.us")) == 1, 40)
            assert len(app.answers(CHAT)) == 1


async def test_a_gateway_that_refuses_is_tried_again(start: Start, gateway: WahaGateway) -> None:
    async with start() as app:
        gateway.fail(3, 500)
        await app.say("Hello there", CHAT)

        async def is_sent() -> bool:
            return await app.count("outbox where status = 'sent'") == 1

        assert await eventually(is_sent)
        assert len(app.answers(CHAT)) == 1


async def test_a_reply_that_cannot_be_sent_for_too_long_is_dropped_and_counted(
    start: Start, gateway: WahaGateway
) -> None:
    async with start(RECOLLECT_REPLY_MAX_AGE_S="2") as app:
        gateway.fail(1000, 500)
        await app.say("Hello there", CHAT)

        async def is_expired() -> bool:
            return await app.count("outbox where status = 'expired'") == 1

        assert await eventually(is_expired)
        assert (await app.http.get("/health")).json()["deliveries"]["expired"] == 1
        gateway.recover()
        await app.say("Hello again", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        assert await app.count("outbox where status = 'expired'") == 1


async def test_a_gateway_that_keeps_failing_is_shown_to_those_let_in(
    start: Start, gateway: WahaGateway
) -> None:
    async with start(RECOLLECT_WAHA_API_KEY="a secret key") as app:
        gateway.fail(1000, 500)
        for number in range(4):
            await app.say("Hello there", f"491{number}@c.us")

        async def shown() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = (await app.http.get("/health")).json()["failing_gateways"]
            return found

        async def is_shown() -> bool:
            return [each["waiting"] for each in await shown()] == [4]

        assert await eventually(is_shown)
        (failing,) = await shown()
        assert (failing["channel"], failing["account"]) == ("waha", "default")
        assert failing["failures"] >= 3
        assert failing["since"] < failing["next_trial_at"]
        stranger = await app.http.get("/health", headers={"Host": "elsewhere.example"})
        assert stranger.json() == {"status": "ok"}
        gateway.recover()
        assert await eventually(lambda: len(gateway.sent) == 4)

        async def is_closed() -> bool:
            return await shown() == []

        assert await eventually(is_closed)


async def test_a_send_without_an_answer_is_looked_up_and_not_repeated(
    start: Start, gateway: WahaGateway
) -> None:
    async with start() as app:
        gateway.stall(1)
        await app.say("Hello there", CHAT)

        async def is_settled() -> bool:
            return [r["status"] for r in await app.rows("select status from outbox")] == ["sent"]

        assert await eventually(is_settled)
        assert len(app.answers(CHAT)) == 1


@pytest.mark.parametrize(
    ("policy", "status", "sends"), [("at_most_once", "unknown", 1), ("at_least_once", "sent", 2)]
)
async def test_a_send_that_nobody_can_vouch_for_follows_the_delivery_setting(
    start: Start, gateway: WahaGateway, policy: str, status: str, sends: int
) -> None:
    async with start(RECOLLECT_DELIVERY=policy) as app:
        gateway.stall(1)
        gateway.is_history_down = True
        await app.say("Hello there", CHAT)

        async def is_settled() -> bool:
            return [r["status"] for r in await app.rows("select status from outbox")] == [status]

        assert await eventually(is_settled)
        assert len(app.answers(CHAT)) == sends
        listed = (await app.http.get("/deliveries?status=unknown")).json()["deliveries"]
        assert len(listed) == (1 if status == "unknown" else 0)


async def test_a_send_that_two_look_ups_do_not_find_is_made_again(
    start: Start, gateway: WahaGateway
) -> None:
    async with start() as app:
        gateway.stall(1)
        await app.say("Hello there", CHAT)
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        gateway.sent.clear()  # it never happened

        async def is_settled() -> bool:
            return [r["status"] for r in await app.rows("select status from outbox")] == ["sent"]

        assert await eventually(is_settled)
        assert len(app.answers(CHAT)) == 1
        (row,) = await app.rows("select attempts from outbox")
        assert row["attempts"] == 2


async def test_answers_of_a_chat_leave_in_order(start: Start, model: OpenAIServer) -> None:
    numbers = iter(range(100))
    model.respond = lambda _: f"answer {next(numbers)}"
    async with start(**using(model)) as app:
        app.gateway.fail(1, 500)
        for number in range(3):
            await app.say(f"question {number}", CHAT)
            await eventually(lambda number=number: model.calls > number)
        assert await eventually(lambda: len(app.answers(CHAT)) == 3)
        assert app.answers(CHAT) == ["answer 0", "answer 1", "answer 2"]


async def _open_postgres(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = conninfo.conninfo_to_dict(url)
    host, port = str(parts["host"]), int(parts.get("port") or 5432)
    if host.startswith("/"):
        return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
    return await asyncio.open_connection(host, port)


def _through(url: str, port: int) -> str:
    return conninfo.make_conninfo(url, host="127.0.0.1", port=port)
