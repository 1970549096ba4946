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
_EACH: Final = 700
"""Bytes that a line takes beside its text, its words and the vectors of its pieces."""

# `xmin` is the transaction that wrote a row as it is: another one, another state of the message, of
# its vectors or kinds. Rows of other tables are asked for one by one: joined, the planner keeps
# their keys.
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
  t.vectors, k.keys, k.chances, m.searchable
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


class _Kept(NamedTuple):
    """A line without terms, the state of its rows, and its words as `words_in` tells them."""

    state: _State
    line: Line
    words: str

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return _EACH + 4 * len(self.line.text) + len(self.line.tokens) + len(self.words)


class LatestLines:
    """Reads lines, and keeps the latest ones; it belongs to one database."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Keep up to `capacity` bytes."""
        self._capacity = capacity
        self._held = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

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
            "reach": reach,
            "shown": MAX_CHARS + 1,
        }
        async with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
            await cursor.execute(_STANDING, keys)
            standing = await cursor.fetchall()
            found = {
                uid: kept for uid, *state, _ in standing if (kept := self._at_hand(uid, state))
            }
            if unknown := [uid for uid, *_ in standing if uid not in found]:
                await cursor.execute(_LINES, {**keys, "uids": unknown})
                rows = await cursor.fetchall()
                found |= {kept.line.uid: kept for kept in map(self._keep, rows)}
        marks = [(term, _mark(term)) for term in terms]
        return [_told(found[uid], marks, uses) for uid, *_, uses in standing if uid in found]

    def _at_hand(self, uid: str, state: Sequence[object]) -> _Kept | None:
        kept = self._kept.get(uid)
        if kept is None or kept.state != tuple(state):
            return None
        self._kept.move_to_end(uid)
        return kept

    def _keep(self, row: Sequence[Any]) -> _Kept:  # Any: the columns of `_LINES`
        *told, searchable = row
        kept = _Kept(tuple(told[:3]), _line(*told[3:]), words_in(searchable or b""))
        uid = kept.line.uid
        if (before := self._kept.pop(uid, None)) is not None:
            self._held -= before.size
        self._kept[uid] = kept
        self._held += kept.size
        while self._held > self._capacity:
            _, oldest = self._kept.popitem(last=False)
            self._held -= oldest.size
        return kept


def words_in(vector: bytes) -> str:
    """Return the lexemes of a tsvector, as it is sent in binary, each with how often it stands.

    In one text, which takes an eighth of the room of a mapping: each between line feeds, its number
    behind a tab. No lexeme has either.

    Source: `tsvectorsend` of PostgreSQL: how many there are, then of each its bytes, a zero, how
    many positions it has, and these, of two bytes each.
    """
    found = [""]
    at = 4
    for _ in range(int.from_bytes(vector[:4])):
        end = vector.index(0, at)
        positions = int.from_bytes(vector[end + 1 : end + 3])
        found.append(f"{vector[at:end].decode()}\t{positions}")
        at = end + 3 + 2 * positions
    return "\n".join([*found, ""])


def _mark(term: str) -> str:
    return f"\n{term}\t"


def _told(kept: _Kept, marks: Sequence[tuple[str, str]], uses: Sequence[float] | None) -> Line:
    """Return a line with those of the terms that it holds, and with its uses."""
    line, words = kept.line, kept.words
    held = {
        term: _number_at(words, words.index(mark) + len(mark))
        for term, mark in marks
        if mark in words
    }
    if held:
        line = Line._make((*line[:_TERMS], held, *line[_TERMS + 1 :]))
    if uses is None:
        return line
    times, last_s = uses
    return line._replace(uses=int(times), used_at=datetime.fromtimestamp(last_s, UTC))


def _number_at(words: str, start: int) -> int:
    return int(words[start : words.index("\n", start)])


def _line(*told: Any) -> Line:  # Any: as in `_LINES`
    *plain, length, vectors, keys, chances = told
    kinds = kinds_from(keys, chances) if keys else NO_KINDS
    return Line._make((*plain, {}, length, vectors or b"", kinds, 0, None))


_TERMS: Final = Line._fields.index("terms")
