"""Exact BM25 in SQL: term frequencies from tsvectors, document frequencies from the scope."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from memory.domain.recalls import Audience, Hit, Lexical, Line
from memory.ports.recall import LexicalIndex
from memory.postgres.contact_states import contact_row
from memory.postgres.lines import LatestLines, Scope
from memory.postgres.pool import Pool
from memory.postgres.rows import storable
from memory.text.lexical import K1, B, searchable

# With Lucene's idf, which is never negative.
# How frequent the words are and how large the scope is decides between the index of lexemes and
# that of the scope. So the query's lexemes stand where the planner sees their values, and no plan
# is kept (`prepare=False`). Marking and filtering leaves the query's lexemes alone: to take all of
# a message's apart, and in a lateral function, takes twice as long. A message that says each of its
# words once, as most do, is not taken apart at all, which saves a quarter of it.
_SEARCH = """
with scope as materialized (
  select count(*)::float8 as documents, greatest(avg(terms), 1)::float8 as average
  from messages where tenant = %(tenant)s and anchor = any(%(anchors)s) and author = 'contact'
), held as materialized (
  select uid, terms, terms = length(searchable) as is_once, ts_filter(setweight(
    searchable, 'A', tsvector_to_array(to_tsvector('english', %(query)s))), '{a}') as vector
  from messages
  where tenant = %(tenant)s and anchor = any(%(anchors)s) and author = 'contact'
    and tsvector_to_array(searchable) && tsvector_to_array(to_tsvector('english', %(query)s))
), matched as materialized (
  select uid, terms, unnest(tsvector_to_array(vector)) as lexeme, 1::float8 as tf
  from held where is_once
  union all
  select uid, terms, (term).lexeme, cardinality((term).positions)::float8
  from (select uid, terms, unnest(vector) as term from held where not is_once) apart
), spread as materialized (
  select lexeme, count(*)::integer as df,
    ln(1 + (max(documents) - count(*) + 0.5) / (count(*) + 0.5)) as idf
  from matched cross join scope group by lexeme
), best as (
  select uid, sum(idf * tf * (%(k1)s::float8 + 1)
    / (tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * terms / average))) as score
  from matched join spread using (lexeme) cross join scope
  group by uid order by score desc, uid limit %(limit)s
)
select documents::integer, average,
  array(select uid::text from best order by score desc, uid) as uids,
  array(select score from best order by score desc, uid) as scores,
  array(select lexeme from spread order by lexeme) as lexemes,
  array(select df from spread order by lexeme) as dfs
from scope
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
) as claims, exists (
  select from notes where tenant = %(tenant)s and forgotten_at is null
) as notes, (
  select to_jsonb(c) - 'tenant' from contact_states c
  where tenant = %(tenant)s and contact_id = %(asker)s
) as asker
"""


class PostgresLexicalIndex(LexicalIndex):
    """`LexicalIndex` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lines = LatestLines()

    def clear(self) -> None:
        """Forget the lines that are kept."""
        self._lines.clear()

    @override
    async def search(self, tenant: str, anchors: Sequence[str], query: str, limit: int) -> Lexical:
        keys = {
            "tenant": tenant,
            "anchors": list(anchors),
            "query": searchable(storable(query)),
            "limit": limit,
            "k1": K1,
            "b": B,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SEARCH.encode(), keys, prepare=False)
            row = await cursor.fetchone()
        if row is None:
            return Lexical()
        return Lexical(
            tuple(map(Hit, row["uids"], row["scores"])),
            row["documents"],
            row["average"],
            dict(zip(row["lexemes"], row["dfs"], strict=True)),
        )

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
        kept = contact_row(row["asker"]) if row["asker"] else None
        return Audience(row["others"], tuple(row["further"]), row["claims"], row["notes"], kept)

    @override
    async def lines(
        self,
        tenant: str,
        anchors: Sequence[str],
        uids: Sequence[str],
        terms: Sequence[str],
        *,
        reach: int = 0,
        space: str = "",
    ) -> list[Line]:
        async with self._pool.connection() as connection:
            return await self._lines.read(
                connection, Scope(tenant, anchors, space), uids, terms, reach=reach
            )
