"""One app with its worker, quick to retry, and what a test asks it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI

from graph.bootstrap import Overrides
from graph.settings import Settings
from server.app import create_app
from server.sending.terms import Terms
from server.service import Service
from server.work.worker import Pace
from tests.fakes.waha_gateway import WahaGateway

PACE = Pace(
    poll_s=0.05,
    sweep_s=0.3,
    rescue_s=0.2,
    grace_s=0.5,
    retry_s=0.2,
    retry_cap_s=0.5,
    attempts=40,
    stop_s=5,
)
TERMS = Terms(poll_s=0.1, doubt_s=0.5, send_s=2, look_up_s=1, give_up_s=3)


@dataclass(frozen=True)
class Running:
    """A started app, posted to as the gateway would."""

    app: FastAPI
    http: httpx.AsyncClient
    gateway: WahaGateway

    @property
    def service(self) -> Service:
        service: Service = self.app.state.service
        return service

    async def post(self, body: bytes, headers: dict[str, str]) -> httpx.Response:
        return await self.http.post("/webhooks/waha/default", content=body, headers=headers)

    async def say(self, text: str, chat: str) -> httpx.Response:
        event = self.gateway.event(text, chat)
        self.gateway.received.append(event["payload"])
        return await self.post(*self.gateway.signed(event))

    async def rows(self, query: str, *parameters: object) -> list[dict[str, Any]]:
        async with self.service.agent.stores.pool.connection() as connection:
            cursor = await connection.execute(query.encode(), parameters)
            return await cursor.fetchall()

    async def count(self, table: str) -> int:
        return int((await self.rows(f"select count(*) as n from {table}"))[0]["n"])

    def answers(self, chat: str) -> list[str]:
        return [sent.text for sent in self.gateway.sent if sent.chat_id == chat]


@asynccontextmanager
async def running(
    settings: Settings,
    gateway: WahaGateway,
    pace: Pace = PACE,
    terms: Terms = TERMS,
    overrides: Overrides | None = None,
    *,
    with_worker: bool = True,
) -> AsyncIterator[Running]:
    """Start the app and stop it."""
    app = create_app(settings, overrides, pace=pace, terms=terms, with_worker=with_worker)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=30) as http,
    ):
        yield Running(app, http, gateway)


async def eventually(
    condition: Callable[[], bool] | Callable[[], Awaitable[bool]], patience_s: float = 20.0
) -> bool:
    deadline = time.monotonic() + patience_s
    while True:
        found = condition()
        if found if isinstance(found, bool) else await found:
            return True
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.03)
