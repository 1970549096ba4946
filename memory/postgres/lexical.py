"""Exact BM25 in SQL: term frequencies from tsvectors, document frequencies from the scope."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.recalls import Audience, Match, Place
from memory.ports.recall import LexicalIndex
from memory.postgres.pool import Pool
from memory.postgres.rows import storable
from memory.recall.questions import MAX_CHARS
from memory.text.lexical import searchable

# Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with
# Lucene's idf, which is never negative.
K1 = 1.2
B = 0.75

_PLACE = """
  m.uid::text as uid, s.thread_id::text as thread_id, m.position, m.created_at, m.actor_name,
  m.contact_id, case when length(m.content) <= %(shown)s then m.content else '' end as content
"""

# How frequent the words are and how large the scope is decides between the index of lexemes and
# that of the scope. So the query's lexemes stand where the planner sees their values, and no plan
# is kept (`prepare=False`).
_SEARCH = f"""
with scope as materialized (
  select count(*)::float8 as documents, greatest(avg(terms), 1)::float8 as average
  from messages where tenant = %(tenant)s and anchor = any(%(anchors)s) and author = 'contact'
), matched as materialized (
  select m.uid, m.terms, term.lexeme, cardinality(term.positions)::float8 as tf
  from messages m, unnest(m.searchable) as term
  where m.tenant = %(tenant)s and m.anchor = any(%(anchors)s) and m.author = 'contact'
    and tsvector_to_array(m.searchable) && tsvector_to_array(to_tsvector('english', %(query)s))
    and term.lexeme = any(tsvector_to_array(to_tsvector('english', %(query)s)))
), counted as (
  select uid, terms, tf, (count(*) over (partition by lexeme))::float8 as df from matched
), best as (
  select uid, sum(ln(1 + (documents - df + 0.5) / (df + 0.5)) * tf * (%(k1)s::float8 + 1)
    / (tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * terms / average))) as score
  from counted, scope
  group by uid order by score desc, uid limit %(limit)s
)
select {_PLACE}, score
from best join messages m using (uid) join sessions s using (session_id)
where m.tenant = %(tenant)s order by score desc, m.uid
"""

_PLACES = f"""
select {_PLACE} from messages m join sessions s using (session_id)
where m.tenant = %(tenant)s and m.uid = any(%(uids)s::uuid[])
"""

_AUDIENCE = """
select exists (
  select from messages
  where tenant = %(tenant)s and anchor = %(anchor)s and author = 'contact'
    and searchable is not null and not uid = any(%(uids)s::uuid[])
) as others, array(
  select anchor from audiences
  where tenant = %(tenant)s and contact_id = %(contact)s and anchor <> %(anchor)s order by anchor
) as further, exists (
  select from third_party_claims
  where tenant = %(tenant)s and contact_id = %(asker)s and key <> 'named'
) as claims
"""


class PostgresLexicalIndex(LexicalIndex):
    """`LexicalIndex` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def search(
        self, tenant: str, anchors: Sequence[str], query: str, limit: int
    ) -> list[Match]:
        keys = {
            "tenant": tenant,
            "anchors": list(anchors),
            "query": searchable(storable(query)),
            "limit": limit,
            "k1": K1,
            "b": B,
            "shown": MAX_CHARS,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SEARCH.encode(), keys, prepare=False)
            return [Match(row["uid"], row["score"], _place(row)) for row in await cursor.fetchall()]

    @override
    async def audience(
        self, tenant: str, contact_id: str, anchor: str, uids: Sequence[str], asker: str = ""
    ) -> Audience:
        scope = {"tenant": tenant, "contact": contact_id, "anchor": anchor, "asker": asker}
        keys = {**scope, "uids": list(uids)}
        async with self._pool.connection() as connection:
            row = await (await connection.execute(_AUDIENCE, keys)).fetchone()
        if row is None:
            return Audience(has_others=False)
        return Audience(row["others"], tuple(row["further"]), row["claims"])

    @override
    async def places(self, tenant: str, uids: Sequence[str]) -> list[Place]:
        keys = {"tenant": tenant, "uids": list(uids), "shown": MAX_CHARS}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_PLACES.encode(), keys)
            return [_place(row) for row in await cursor.fetchall()]


def _place(row: DictRow) -> Place:
    return Place(
        row["uid"],
        row["thread_id"],
        row["position"],
        row["created_at"],
        row["actor_name"],
        row["contact_id"],
        row["content"],
    )
