"""`GET /health`: which stores answer, and how much waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, get_args

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from graph.stores import Stores
from memory.domain.work import DeliveryStatus
from server.http import examples
from server.service import Serving

PATIENCE_S = 3.0

router = APIRouter()


@router.head("/health", include_in_schema=False)
@router.get("/health", responses=examples.HEALTH)
async def health(request: Request, service: Serving) -> JSONResponse:
    """Tell which stores answer and how much waits; 503 when Postgres does not answer.

    Without another store messages are answered all the same: 200, `degraded`, and what is missing
    since when. Counts are those of every tenant that the server runs turns for. Whoever was not let
    in is told the status alone.
    """
    stores = service.agent.stores
    tenants = service.settings.served_tenants
    answers = await _answers(stores, tenants)
    is_up, is_well = answers["postgres"], all(answers.values())
    missing = stores.memory.outages.since
    status = "down" if not is_up else "degraded" if missing or not is_well else "ok"
    body: dict[str, Any] = {"status": status}
    if request.state.is_admitted:
        body["stores"] = {name: "ok" if up else "unreachable" for name, up in answers.items()}
        body["missing"] = {part: since.isoformat() for part, since in missing.items()}
        if is_up:
            body |= await _backlog(stores, tenants)
    return JSONResponse(body, 200 if is_up else 503)


async def _backlog(stores: Stores, tenants: Sequence[str]) -> dict[str, Any]:
    pending, failed, deliveries, jobs, arrears, failing = await asyncio.gather(
        stores.memory.turns.count_pending(tenants),
        stores.memory.turns.count_failed(tenants),
        stores.memory.outbox.counts(tenants),
        stores.memory.jobs.counts(tenants),
        stores.memory.backlog.arrears(tenants),
        stores.memory.breakers.listing(tenants),
    )
    settings = stores.settings
    return {
        "pending_messages": pending,
        "failed_turns": failed,
        "jobs": {"waiting": jobs.waiting, "running": jobs.running},
        "deliveries": {status: deliveries.get(status, 0) for status in get_args(DeliveryStatus)},
        "projections": {
            name: {"waiting": each.waiting, "set_aside": each.set_aside}
            for name, each in arrears.items()
        },
        "capture": {
            "mode": settings.capture,
            "calls_today": await stores.memory.answers.calls_today(tenants),
            "calls_a_day": settings.capture_calls,
        },
        "failing_gateways": [
            {
                "channel": each.account.channel,
                "account": each.account.account,
                "failures": each.breaker.failures,
                "since": each.breaker.since.isoformat(),
                "next_trial_at": each.breaker.trial_at.isoformat(),
                "waiting": each.waiting,
            }
            for each in failing
        ],
    }


async def _answers(stores: Stores, tenants: Sequence[str]) -> dict[str, bool]:
    memory = stores.memory
    probe = [1.0] + [0.0] * (memory.embedder.dimension - 1)
    return dict(
        zip(
            ("postgres", "chroma", "facts"),
            await asyncio.gather(
                _is_there(memory.turns.count_pending(tenants)),
                _is_there(
                    memory.outages.ask(
                        "vectors",
                        lambda: memory.vectors.search(tenants[0], "message", ["health"], probe, 1),
                    )
                ),
                _is_there(
                    memory.outages.ask(
                        "facts", lambda: memory.facts.active(tenants[0], "health:probe")
                    )
                ),
            ),
            strict=True,
        )
    )


async def _is_there(probe: Awaitable[object]) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await probe is not None
    # Whatever a store raises, it is not well.
    except Exception:  # noqa: BLE001
        return False
