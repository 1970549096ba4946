"""What a tenant has in Postgres, and its removal as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from memory.postgres.checkpoints import THREADS_OF
from memory.postgres.pool import Pool

BESIDE_THE_TRANSCRIPT: Final = (
    "policies",
    "pauses",
    "audit",
    "waiting_changes",
    "identities",
    "moved_chats",
    "events",
    "imports",
    "audiences",
    "breakers",
    "rejections",
    "answers",
    "model_calls",
    "contact_states",
    "erasures",
    "tombstones",
    "keeping_rules",
)
"""Tables of a tenant whose rows do not all go with its sessions."""


@dataclass(frozen=True, slots=True)
class TenantHoldings:
    """The keys under which the other stores hold what belongs to a tenant."""

    anchors: tuple[str, ...]
    contacts: tuple[str, ...]
    threads: tuple[str, ...]


async def holdings(pool: Pool, tenant: str) -> TenantHoldings:
    """Return a tenant's anchors, contacts and threads of checkpoints, each sorted."""
    return TenantHoldings(
        await _column(pool, tenant, "select distinct anchor from messages where tenant = %s"),
        await _column(
            pool,
            tenant,
            "select distinct contact_id from messages where tenant = %s and contact_id <> ''",
        ),
        await _column(pool, tenant, f"select {THREADS_OF} from sessions s where tenant = %s"),
    )


@dataclass(frozen=True, slots=True)
class Census:
    """A tenant's transcript in figures: messages by author, contacts, and the time they span."""

    messages: Mapping[str, int]
    chats: int
    contacts: tuple[str, ...]
    first: datetime | None
    last: datetime | None


async def census(pool: Pool, tenant: str) -> Census:
    """Count what a tenant's transcript holds."""
    held = await holdings(pool, tenant)
    chats = await _column(pool, tenant, "select session_id from sessions where tenant = %s")
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "select author, count(*) as n, min(created_at) as first, max(created_at) as last"
            " from messages where tenant = %s group by author order by author",
            [tenant],
        )
        rows = await cursor.fetchall()
    return Census(
        {row["author"]: row["n"] for row in rows},
        len(chats),
        held.contacts,
        min((row["first"].astimezone(UTC) for row in rows), default=None),
        max((row["last"].astimezone(UTC) for row in rows), default=None),
    )


async def remove_transcript(pool: Pool, tenant: str) -> int:
    """Delete a tenant's sessions with their messages, turns, receipts and outbox; count them.

    What hangs on no session (`BESIDE_THE_TRANSCRIPT`) goes with them, and what was still to be
    derived of all of it. Facts, entities, vectors and checkpoints are other stores' rows: remove
    those first, by `holdings`.
    """
    async with pool.connection() as connection, connection.transaction():
        for table in BESIDE_THE_TRANSCRIPT:
            await connection.execute(f"delete from {table} where tenant = %s".encode(), [tenant])
        cursor = await connection.execute("delete from sessions where tenant = %s", [tenant])
        # Last: what is deleted owes by itself that others follow.
        await connection.execute("delete from backlog where tenant = %s", [tenant])
        return cursor.rowcount


async def _column(pool: Pool, tenant: str, query: str) -> tuple[str, ...]:
    async with pool.connection() as connection:
        cursor = await connection.execute(query.encode(), [tenant])
        return tuple(sorted(str(next(iter(row.values()))) for row in await cursor.fetchall()))
