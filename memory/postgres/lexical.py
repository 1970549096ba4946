"""Exact BM25 in SQL: term frequencies from tsvectors, document frequencies from the scope."""

from __future__ import annotations

from collections.abc import Sequence

from memory.domain import Hit, Place
from memory.lexical import searchable
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

# Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with
# Lucene's idf, which is never negative.
K1 = 1.2
B = 0.75

# `materialized`: inlined into a prepared statement's generic plan, the query would be parsed into
# lexemes again for every row of the scope.
_SEARCH = """
with query as materialized (
  select tsvector_to_array(to_tsvector('english', %(query)s)) as lexemes
), scope as (
  select count(*)::float8 as documents, greatest(avg(terms), 1)::float8 as average
  from messages where tenant = %(tenant)s and anchor = any(%(anchors)s) and author = 'contact'
), matched as (
  select m.uid, m.terms, term.lexeme, cardinality(term.positions)::float8 as tf
  from query, messages m, unnest(m.searchable) as term
  where m.tenant = %(tenant)s and m.anchor = any(%(anchors)s) and m.author = 'contact'
    and tsvector_to_array(m.searchable) && query.lexemes and term.lexeme = any(query.lexemes)
), weights as (
  select lexeme, ln(1 + (documents - count(*) + 0.5) / (count(*) + 0.5)) as idf
  from matched, scope group by lexeme, documents
)
select uid, sum(idf * tf * (%(k1)s + 1)
  / (tf + %(k1)s * (1 - %(b)s + %(b)s * terms / average))) as score
from matched join weights using (lexeme), scope
group by uid order by score desc, uid limit %(limit)s
"""

_PLACES = """
select m.uid, s.thread_id, m.position, m.created_at, m.actor_name
from messages m join sessions s using (session_id)
where m.tenant = %s and m.uid = any(%s::uuid[])
"""


class PostgresLexicalIndex:
    """`memory.ports.LexicalIndex` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def search(
        self, tenant: str, anchors: Sequence[str], query: str, limit: int
    ) -> list[Hit]:
        """Return message uids by BM25, best first."""
        keys = {
            "tenant": tenant,
            "anchors": list(anchors),
            "query": searchable(storable(query)),
            "limit": limit,
            "k1": K1,
            "b": B,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SEARCH, keys)
            return [Hit(str(row["uid"]), row["score"]) for row in await cursor.fetchall()]

    async def places(self, tenant: str, uids: Sequence[str]) -> list[Place]:
        """Return where messages stand."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_PLACES, [tenant, list(uids)])
            return [
                Place(
                    str(row["uid"]),
                    str(row["thread_id"]),
                    row["position"],
                    row["created_at"],
                    row["actor_name"],
                )
                for row in await cursor.fetchall()
            ]
