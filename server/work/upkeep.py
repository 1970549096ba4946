"""Keeps the tables small, and closes the episodes of chats that have fallen silent.

Runs every ten minutes in one process at a time; whatever it does not get to, the next run does.
"""

from __future__ import annotations

from datetime import timedelta

from graph.stores import Stores
from memory.domain.projections import CHAT
from memory.episodes.making import GAP
from memory.postgres.jobs import upkeep_lock_of

THREADS_AT_ONCE = 200
CHATS_AT_ONCE = 10_000
IDLE_S = 86_400.0
"""How long a chat's steps can be inspected after its last turn."""
MANY_CHECKPOINTS = 1_000
"""A chat with more is pruned as soon as it is idle for a moment (about 125 turns)."""
MOMENT_S = 60.0
BODY_S = 86_400.0
"""How long the outbox keeps the text of a reply that is settled; the ledger keeps it anyway.

Of a reply in several parts it keeps each one's with its row.
"""
ROW_S = 30 * 86_400.0
"""How long a reply can be quoted by the id it was sent under, and a late echo is known (N4)."""
EVENT_S = 30 * 86_400.0
"""How long a webhook that could not be read can be looked at."""


async def keep_up(stores: Stores, tenant: str) -> int:
    """Prune a tenant's tables; return how many threads' checkpoints were pruned."""
    async with stores.memory.locks.hold(upkeep_lock_of(tenant)):
        now = stores.clock()
        await stores.memory.outbox.blank_settled([tenant], now - timedelta(seconds=BODY_S))
        await stores.memory.outbox.delete_settled([tenant], now - timedelta(seconds=ROW_S))
        await stores.memory.events.prune(tenant, now - timedelta(seconds=EVENT_S))
        silent = await stores.memory.episodes.silent(tenant, now - GAP, CHATS_AT_ONCE)
        if silent:
            await stores.memory.backlog.owe(tenant, ["episodes"], [CHAT + each for each in silent])
        threads = await stores.memory.turns.prunable(
            tenant,
            idle_since=now - timedelta(seconds=IDLE_S),
            quiet_since=now - timedelta(seconds=MOMENT_S),
            many=MANY_CHECKPOINTS,
            limit=THREADS_AT_ONCE,
        )
        for thread_id in threads:
            # A turn that is running goes on writing checkpoints.
            async with stores.memory.locks.hold(thread_id):
                await stores.saver.aprune([thread_id], strategy="keep_latest")
    return len(threads)
