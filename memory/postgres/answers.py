"""What a chat model answered about messages, what of it was rejected, and its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC
from typing import Any, Final

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.answers import Answered, Candidate, Kept, Refusal, Rejection
from memory.ports.reading import ASK_PATIENCE_S, Answers
from memory.postgres.pool import Pool

# A process that died may have asked: its message is left alone when no answer can come any more.
_KEPT: Final = """
select uid::text, digest, answer, reader,
  not is_settled and asked_at > now() - make_interval(secs => %(patience_s)s) as is_under_way
from answers where tenant = %(tenant)s and uid = any(%(uids)s::uuid[])
"""

_BEGIN: Final = """
insert into answers as a (uid, tenant, digest, reader)
select m.uid, m.tenant, given.digest, %(reader)s
from unnest(%(uids)s::uuid[], %(digests)s::text[]) as given (uid, digest)
join messages m on m.uid = given.uid and m.tenant = %(tenant)s
order by m.uid
on conflict (uid) do update
set digest = excluded.digest, reader = excluded.reader, answer = null, is_settled = false,
  asked_at = now()
where a.tenant = excluded.tenant and (a.digest <> excluded.digest or (%(again)s and a.answer is null
  and (a.is_settled or a.asked_at <= now() - make_interval(secs => %(patience_s)s))))
returning uid::text
"""

_COUNT: Final = """
insert into model_calls as c (tenant, day, calls)
values (%(tenant)s, (now() at time zone 'utc')::date, 1)
on conflict (tenant, day) do update set calls = c.calls + 1 where c.calls < %(limit)s
returning calls
"""

_SETTLE: Final = """
update answers set answer = %(answer)s, is_settled = true
where tenant = %(tenant)s and uid = %(uid)s and digest = %(digest)s and not is_settled
"""

_REJECT: Final = """
insert into rejections (tenant, uid, key, reason, reader)
select m.tenant, m.uid, %(key)s, %(reason)s, %(reader)s
from messages m where m.tenant = %(tenant)s and m.uid = %(uid)s
on conflict do nothing
"""


class _Spent(Exception):
    """The day's calls are used up: what was begun is undone."""


class PostgresAnswers(Answers):
    """`Answers` on three tables, and the budget of calls on one of them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def kept(self, tenant: str, uids: Sequence[str]) -> dict[str, Kept]:
        if not uids:
            return {}
        given = {"tenant": tenant, "uids": list(uids), "patience_s": ASK_PATIENCE_S}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_KEPT, given)
            return {
                row["uid"]: Kept(
                    row["digest"], _candidates(row["answer"]), row["is_under_way"], row["reader"]
                )
                for row in await cursor.fetchall()
            }

    @override
    async def begin(
        self,
        tenant: str,
        digests: Mapping[str, str],
        reader: str,
        limit: int,
        *,
        again: bool = False,
    ) -> frozenset[str] | None:
        given = {
            "tenant": tenant,
            "uids": list(digests),
            "digests": list(digests.values()),
            "reader": reader,
            "again": again,
            "patience_s": ASK_PATIENCE_S,
        }
        try:
            async with self._pool.connection() as connection, connection.transaction():
                cursor = await connection.execute(_BEGIN, given)
                ours = frozenset(row["uid"] for row in await cursor.fetchall())
                if ours:
                    await self._count(connection, tenant, limit)
        except _Spent:
            return None
        return ours

    async def _count(self, connection: Any, tenant: str, limit: int) -> None:  # Any: see `Pool`
        cursor = await connection.execute(_COUNT, {"tenant": tenant, "limit": limit})
        if await cursor.fetchone() is None:
            raise _Spent

    @override
    async def spend(self, tenant: str, limit: int) -> bool:
        try:
            async with self._pool.connection() as connection:
                await self._count(connection, tenant, limit)
        except _Spent:
            return False
        return True

    @override
    async def settle(
        self,
        tenant: str,
        answered: Sequence[Answered],
        refusals: Sequence[Refusal],
        reader: str,
    ) -> None:
        answers = [
            {
                "tenant": tenant,
                "uid": each.uid,
                "digest": each.digest,
                "answer": _json(each.candidates),
            }
            for each in answered
        ]
        rejected = [{"tenant": tenant, "reader": reader, **asdict(refusal)} for refusal in refusals]
        async with self._pool.connection() as connection, connection.transaction():
            if answers:
                await connection.cursor().executemany(_SETTLE, answers)
            if rejected:
                await connection.cursor().executemany(_REJECT, rejected)

    @override
    async def rejections(self, tenant: str, limit: int) -> list[Rejection]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select uid::text, key, reason, reader, at from rejections"
                " where tenant = %s order by place desc limit %s",
                [tenant, limit],
            )
            return [
                Rejection(
                    Refusal(row["uid"], row["key"], row["reason"]),
                    row["reader"],
                    row["at"].astimezone(UTC),
                )
                for row in await cursor.fetchall()
            ]

    @override
    async def calls_today(self, tenants: Sequence[str]) -> dict[str, int]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select tenant, calls from model_calls"
                " where tenant = any(%s) and day = (now() at time zone 'utc')::date",
                [list(tenants)],
            )
            counted = {row["tenant"]: row["calls"] for row in await cursor.fetchall()}
        return {tenant: counted.get(tenant, 0) for tenant in tenants}


def _json(candidates: Sequence[Candidate] | None) -> Jsonb | None:
    return None if candidates is None else Jsonb([asdict(each) for each in candidates])


def _candidates(
    answer: list[dict[str, Any]] | None,  # Any: our own JSON
) -> tuple[Candidate, ...] | None:
    return None if answer is None else tuple(Candidate(**each) for each in answer)
