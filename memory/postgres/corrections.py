"""What people corrected, in the ledger's database: whatever the facts are stored in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.chats import is_uid
from memory.domain.facts import APART, BY_PERSON, Observation, is_by_hand
from memory.ports.facts import Corrections
from memory.postgres.pool import Pool
from memory.text.lexical import searchable

_KEEP: Final = """
insert into corrections
  (uid, tenant, source_uid, category, key, value, importance, stated_at, retracts)
select m.uid, m.tenant, %(source)s, %(category)s, %(key)s, %(value)s, %(importance)s,
  %(stated_at)s, %(retracts)s
from messages m where m.uid = %(uid)s and m.tenant = %(tenant)s
on conflict do nothing
"""

_OF: Final = """
select c.source_uid, c.category, c.key, c.value, c.importance, m.anchor, c.stated_at, c.retracts
from messages m join corrections c on c.uid = m.uid and c.tenant = m.tenant
where m.tenant = %s and m.contact_id = %s and c.undone_at is null order by c.place
"""

_UNDO: Final = """
with undone as (
  update corrections set undone_at = %(at)s
  where tenant = %(tenant)s and source_uid = %(source)s and undone_at is null returning *
)
select c.source_uid, c.category, c.key, c.value, c.importance, m.anchor, c.stated_at, c.retracts
from undone c join messages m on m.uid = c.uid and m.tenant = c.tenant order by c.place
"""

_CONTACTS: Final = """
select distinct m.contact_id
from corrections c join messages m on m.uid = c.uid and m.tenant = c.tenant
where c.tenant = %s order by m.contact_id
"""

_REPLIES: Final = """
select m.uid::text as uid, m.content
from messages m join receipts r on r.turn_id = m.turn_id and r.reply_uid = m.uid
where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.author = 'agent' and not m.withheld
  and exists (select from jsonb_array_elements(r.recalled) as entry
    where entry->>'item_id' = any(%(recalled)s))
"""

# What was kept out for another reason stays so when the act is undone: it gets no row.
_KEEP_OUT: Final = """
insert into kept_out (uid, tenant, act, words)
select m.uid, m.tenant, %(act)s, given.left_text is not null
from unnest(%(uids)s::uuid[], %(left)s::text[]) as given (uid, left_text)
join messages m on m.uid = given.uid and m.tenant = %(tenant)s and m.author = 'contact'
where case when given.left_text is null then not m.withheld else m.said is null end
  or exists (select from kept_out k where k.uid = m.uid and k.words = (given.left_text is not null))
on conflict do nothing
"""

_KEEP_REPLIES_OUT: Final = """
insert into kept_out (uid, tenant, act, words)
select m.uid, m.tenant, %(act)s, false
from messages m
where m.tenant = %(tenant)s and m.author = 'agent'
  and (m.uid = any(%(replies)s::uuid[]) or m.turn_id in (
    select told.turn_id from messages told
    where told.tenant = %(tenant)s and told.uid = any(%(uids)s::uuid[])))
  and (not m.withheld or exists (select from kept_out k where k.uid = m.uid))
on conflict do nothing
"""

_KEPT_OUT: Final = """
select uid::text as uid, array_agg(act order by act) as acts from kept_out
where tenant = %s and uid = any(%s::uuid[]) and not words group by uid
"""

_LET_IN: Final = """
with gone as (
  delete from kept_out where tenant = %(tenant)s and act = %(act)s returning uid, words
)
select m.uid::text as uid, m.session_id, m.message_id, m.content, m.said, m.withheld,
  array_agg(gone.words) as undone,
  array(select k.words from kept_out k where k.uid = m.uid and k.act <> %(act)s) as others
from gone join messages m using (uid) where m.tenant = %(tenant)s group by m.seq
"""

_RESAY: Final = """
update messages set withheld = %(withheld)s, content = %(text)s,
  said = case when not %(in_full)s then said end,
  searchable = case when not %(withheld)s and %(text)s <> ''
    then to_tsvector('english', %(indexed)s) end,
  terms = case when not %(withheld)s and %(text)s <> ''
    then coalesce(count_terms(to_tsvector('english', %(indexed)s)), 0) else 0 end,
  changes = changes + %(in_full)s::integer
where tenant = %(tenant)s and uid = %(uid)s::uuid
"""

_QUOTE_AGAIN: Final = """
update messages set quote = jsonb_set(quote, '{text}', to_jsonb(%(text)s::text))
where session_id = %(session)s and tenant = %(tenant)s and quote is not null
  and quote->>'message_id' = %(message_id)s and quote->>'text' = %(quoted)s
"""

_UNSAY: Final = """
update messages m set
  withheld = m.withheld or given.left_text is null,
  said = case when given.left_text is null then m.said else coalesce(m.said, m.content) end,
  content = coalesce(given.left_text, m.content),
  searchable = case when not m.withheld and given.left_text <> ''
    then to_tsvector('english', given.indexed) end,
  terms = case when not m.withheld and given.left_text <> ''
    then coalesce(count_terms(to_tsvector('english', given.indexed)), 0) else 0 end,
  changes = m.changes + (given.left_text is not null)::integer
from unnest(%(uids)s::uuid[], %(left)s::text[], %(indexed)s::text[])
  as given (uid, left_text, indexed)
where m.uid = given.uid and m.tenant = %(tenant)s and m.author = 'contact'
  and (m.content is distinct from given.left_text or m.said is null)
  and not (given.left_text is null and m.withheld)
returning m.session_id, m.message_id, m.turn_id, given.left_text
"""

# What was said in answer to it tells of it.
_HUSH: Final = """
update messages set withheld = true, searchable = null, terms = 0
where tenant = %(tenant)s and author = 'agent' and not withheld
  and (turn_id = any(%(turns)s::uuid[]) or uid = any(%(replies)s::uuid[]))
"""

_UNASK: Final = (
    "update receipts set query = '' where tenant = %(tenant)s and turn_id = any(%(turns)s)"
)

# Whoever quoted it has carried it along.
_UNQUOTE: Final = """
update messages m set quote = jsonb_set(m.quote, '{text}', to_jsonb(coalesce(given.text, '')))
from unnest(%(sessions)s::bigint[], %(ids)s::text[], %(texts)s::text[]) as given (session, id, text)
where m.session_id = given.session and m.tenant = %(tenant)s and m.quote is not null
  and m.quote->>'message_id' = given.id
"""


class PostgresCorrections(Corrections):
    """`Corrections` on the table of that name."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, corrected: Sequence[Observation]) -> None:
        rows = [
            {
                "uid": _message_of(each),
                "tenant": tenant,
                "source": each.source_uid,
                "category": each.category,
                "key": each.key,
                "value": each.value,
                "importance": each.importance,
                "stated_at": each.stated_at,
                "retracts": each.retracts,
            }
            for each in corrected
            if is_uid(_message_of(each))
        ]
        if not rows:
            return
        async with self._pool.connection() as connection, connection.transaction():
            await connection.cursor().executemany(_KEEP, rows)

    @override
    async def of(self, tenant: str, contact_id: str) -> list[Observation]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, contact_id])
            return [_observation(row) for row in await cursor.fetchall()]

    @override
    async def undo(self, tenant: str, source_uid: str, at: datetime) -> list[Observation]:
        async with self._pool.connection() as connection:
            keys = {"tenant": tenant, "source": source_uid, "at": at}
            cursor = await connection.execute(_UNDO, keys)
            return [_observation(row) for row in await cursor.fetchall()]

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return [row["contact_id"] for row in await cursor.fetchall()]

    @override
    async def replies(
        self, tenant: str, contact_id: str, recalled: Collection[str]
    ) -> dict[str, str]:
        keys = {"tenant": tenant, "contact": contact_id, "recalled": list(recalled)}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_REPLIES, keys)
            return {row["uid"]: row["content"] for row in await cursor.fetchall()}

    @override
    async def unsay(
        self, tenant: str, left: Mapping[str, str | None], replies: Collection[str], act: str
    ) -> None:
        keys = {
            "tenant": tenant,
            "act": act,
            "replies": list(replies),
            "uids": list(left),
            "left": list(left.values()),
            "indexed": [text and searchable(text) for text in left.values()],
        }
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_KEEP_OUT, keys)
            await connection.execute(_KEEP_REPLIES_OUT, keys)
            gone = await (await connection.execute(_UNSAY, keys)).fetchall()
            turns = [row["turn_id"] for row in gone if row["turn_id"]]
            keys = {"tenant": tenant, "turns": turns, "replies": list(replies)}
            await connection.execute(_HUSH, keys)
            await connection.execute(_UNASK, keys)
            quoted = {
                "sessions": [row["session_id"] for row in gone],
                "ids": [row["message_id"] for row in gone],
                "texts": [row["left_text"] for row in gone],
            }
            await connection.execute(_UNQUOTE, {"tenant": tenant, **quoted})

    @override
    async def kept_out(self, tenant: str, uids: Collection[str]) -> dict[str, list[str]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_KEPT_OUT, [tenant, list(uids)])
            return {row["uid"]: row["acts"] for row in await cursor.fetchall()}

    @override
    async def resay(self, tenant: str, act: str) -> list[str]:
        async with self._pool.connection() as connection, connection.transaction():
            cursor = await connection.execute(_LET_IN, {"tenant": tenant, "act": act})
            back = [each for row in await cursor.fetchall() if (each := _said_again(tenant, row))]
            for each in back:
                await connection.execute(_RESAY, each)
                await connection.execute(_QUOTE_AGAIN, each)
        return [str(each["uid"]) for each in back]


def _said_again(tenant: str, row: DictRow) -> dict[str, object] | None:
    """Return what a message is once an act is undone; None where others keep it as it is."""
    opens = row["withheld"] and False in row["undone"] and False not in row["others"]
    in_full = row["said"] is not None and True in row["undone"] and True not in row["others"]
    if not opens and not in_full:
        return None
    text = row["said"] if in_full else row["content"]
    return {
        "tenant": tenant,
        "uid": row["uid"],
        "session": row["session_id"],
        "message_id": row["message_id"],
        "text": text,
        "indexed": searchable(text),
        "withheld": row["withheld"] and not opens,
        "in_full": in_full,
        "quoted": row["content"] if in_full else "",
    }


def _message_of(corrected: Observation) -> str:
    return corrected.source_uid.partition(APART)[0]


def _observation(row: DictRow) -> Observation:
    return Observation(
        category=row["category"],
        key=row["key"],
        value=row["value"],
        confidence=1.0,
        importance=row["importance"],
        source_uid=row["source_uid"],
        stated_at=row["stated_at"].astimezone(UTC),
        anchor=row["anchor"],
        retracts=row["retracts"],
        read_by=BY_PERSON if is_by_hand(row["source_uid"]) else "",
    )
