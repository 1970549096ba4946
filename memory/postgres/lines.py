"""The lines that ranking reads, out of the ledger, with the latest of them at hand.

A chat is searched again and again, and most lines come up again: what they are is kept, and read
anew only where one of its rows is another than before. Which lines come up, who may hear them, and
how often answers used them, is told by Postgres each time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import DictRow, tuple_row

from memory.domain.readings import NO_KINDS
from memory.domain.recalls import Line
from memory.postgres.claims import kinds_from
from memory.recall.questions import MAX_CHARS

CAPACITY: Final = 32 * 2**20
"""Bytes of lines that are kept, about 15,000 short ones."""
_EACH: Final = 600
"""Bytes that a line takes beside its text and the vectors of its pieces."""

# `xmin` is the transaction that wrote a row as it is: another one, another state of the message, of
# its vectors or kinds. A line's words are marked and filtered, not taken apart: that costs an
# eighth. Rows of other tables are asked for one by one: joined, the planner keeps their keys.
_STANDING: Final = """
with found as materialized (
  select session_id, position from messages where uid = any(%(uids)s::uuid[])
), near as materialized (
  select distinct session_id, found.position + step as position
  from found, generate_series(-%(reach)s::integer, %(reach)s::integer) as step
)
select m.uid::text, m.xmin,
  (select xmin from token_vectors where uid = m.uid and space = %(space)s),
  (select xmin from kinds where uid = m.uid and tenant = m.tenant),
  ts_filter(setweight(m.searchable, 'A', %(terms)s), '{a}'),
  (select array[times, extract(epoch from last_at)]::float8[] from uses
    where uid = m.uid and tenant = m.tenant)
from near
cross join lateral (
  select *, xmin from messages
  where session_id = near.session_id and position = near.position offset 0
) m
where m.tenant = %(tenant)s and m.anchor = any(%(anchors)s) and m.author in ('contact', 'agent')
  and not m.withheld and m.content <> ''
"""

_LINES: Final = """
select m.xmin, t.xmin, k.xmin, m.uid::text, s.thread_id::text, m.position, m.created_at,
  m.actor_name, m.contact_id, left(m.content, %(shown)s), m.author = 'agent', m.terms,
  t.vectors, k.keys, k.chances
from messages m
join sessions s on s.session_id = m.session_id
left join token_vectors t on t.uid = m.uid and t.space = %(space)s
left join kinds k on k.uid = m.uid and k.tenant = m.tenant
where m.uid = any(%(uids)s::uuid[])
  and m.tenant = %(tenant)s and m.anchor = any(%(anchors)s) and m.author in ('contact', 'agent')
  and not m.withheld and m.content <> ''
"""

_State = tuple[Any, ...]  # Any: transactions, as the driver gives them; compared with one another


class Scope(NamedTuple):
    """Whose lines are read, said where, with vectors of which space."""

    tenant: str
    anchors: Sequence[str]
    space: str


class LatestLines:
    """Reads lines, and keeps the latest ones; it belongs to one database."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Keep up to `capacity` bytes."""
        self._capacity = capacity
        self._held = 0
        self._kept: OrderedDict[str, tuple[_State, Line]] = OrderedDict()

    def clear(self) -> None:
        """Forget all that is kept."""
        self._kept.clear()
        self._held = 0

    async def read(
        self,
        connection: AsyncConnection[DictRow],
        scope: Scope,
        uids: Sequence[str],
        terms: Sequence[str],
        *,
        reach: int,
    ) -> list[Line]:
        """Return these messages and those up to `reach` positions beside them, in no order."""
        keys = {
            **scope._asdict(),
            "anchors": list(scope.anchors),
            "uids": list(uids),
            "terms": list(terms),
            "reach": reach,
            "shown": MAX_CHARS + 1,
        }
        async with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
            await cursor.execute(_STANDING, keys)
            standing = await cursor.fetchall()
            found = {
                uid: line for uid, *state, _, _ in standing if (line := self._at_hand(uid, state))
            }
            if unknown := [uid for uid, *_ in standing if uid not in found]:
                await cursor.execute(_LINES, {**keys, "uids": unknown})
                found |= {line.uid: line for line in map(self._keep, await cursor.fetchall())}
        return [
            _used(_holding(found[uid], counts_in(held)) if held else found[uid], uses)
            for uid, *_, held, uses in standing
            if uid in found
        ]

    def _at_hand(self, uid: str, state: Sequence[object]) -> Line | None:
        kept = self._kept.get(uid)
        if kept is None or kept[0] != tuple(state):
            return None
        self._kept.move_to_end(uid)
        return kept[1]

    def _keep(self, row: Sequence[Any]) -> Line:  # Any: the columns of `_LINES`
        state, line = tuple(row[:3]), _line(*row[3:])
        if (before := self._kept.pop(line.uid, None)) is not None:
            self._held -= _size(before[1])
        self._kept[line.uid] = state, line
        self._held += _size(line)
        while self._held > self._capacity:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._held -= _size(oldest)
        return line


def counts_in(vector: bytes) -> dict[str, int]:
    """Return how often each lexeme stands in a tsvector, which comes as it is sent in binary.

    Source: `tsvectorsend` of PostgreSQL: how many there are, then of each its bytes, a zero, how
    many positions it has, and these, of two bytes each.
    """
    found: dict[str, int] = {}
    at = 4
    for _ in range(int.from_bytes(vector[:4])):
        end = vector.index(0, at)
        positions = int.from_bytes(vector[end + 1 : end + 3])
        found[vector[at:end].decode()] = positions
        at = end + 3 + 2 * positions
    return found


def _line(*told: Any) -> Line:  # Any: as in `_LINES`
    *plain, length, vectors, keys, chances = told
    kinds = kinds_from(keys, chances) if keys else NO_KINDS
    return Line._make((*plain, {}, length, vectors or b"", kinds, 0, None))


_TERMS: Final = Line._fields.index("terms")


def _holding(line: Line, terms: dict[str, int]) -> Line:
    return Line._make((*line[:_TERMS], terms, *line[_TERMS + 1 :])) if terms else line


def _used(line: Line, uses: Sequence[float] | None) -> Line:
    if uses is None:
        return line
    times, last_s = uses
    return line._replace(uses=int(times), used_at=datetime.fromtimestamp(last_s, UTC))


def _size(line: Line) -> int:
    return _EACH + 4 * len(line.text) + len(line.tokens)
