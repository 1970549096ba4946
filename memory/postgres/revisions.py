"""Edits and revokes on Postgres. The ledger's rows hold the current text, `revisions` the earlier.

Of two edits the later one counts, whatever order they arrive in; a revoke is final. A change of
which the message is still unknown waits in `waiting_changes`, and is applied with the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.changes import Change, Revision
from memory.domain.channels import traits_of
from memory.domain.chats import message_uid
from memory.ports.changes import Changed, Revisions
from memory.postgres.pool import Pool
from memory.postgres.rows import chat_of, storable
from memory.text.lexical import searchable

MAX_WAITING = 10_000
"""Changes of unknown messages that are kept for a tenant; the oldest go first."""
WAITING_RETENTION = "30 days"

# The message itself, or the reply of which one part was sent under this id.
_TARGET = """
select m.uid, m.session_id, m.author, m.actor_id, m.from_me,
  coalesce(m.said, m.content) as content, m.edited_at, m.revoked_at, m.message_id, m.turn_id
from messages m
where m.uid = coalesce(
  (select uid from messages where uid = %(uid)s and tenant = %(tenant)s),
  (select o.reply_uid from outbox o join sessions s using (session_id)
   where o.delivery_id in (
       select delivery_id from outbox where tenant = %(tenant)s
         and sent_message_id = %(target)s and sent_message_id <> ''
       union all
       select delivery_id from outbox where tenant = %(tenant)s
         and echo_message_id = %(target)s and echo_message_id <> '')
     and s.tenant = %(tenant)s and s.channel = %(channel)s and s.account = %(account)s
     and (s.chat_id = %(chat)s or %(ids_of_account)s) limit 1))
for update
"""

# What is left of a reply in several parts, once some of them were deleted. Earlier versions dropped
# the text of each part after a day: what is left of such a reply, nobody can tell. They are
# found by the turn, which has an index: a reply that was sent stays in the turn that gave it.
_REMAINING = """
select string_agg(o.body, E'\\n' order by o.part) as text, count(*) as parts,
  bool_and(o.body <> '') as is_kept
from outbox o
where o.turn_id = %(turn)s and o.reply_uid = %(uid)s and o.tenant = %(tenant)s
  and o.sent_message_id <> %(target)s and o.echo_message_id <> %(target)s
  and not exists (select from revisions r where r.uid = o.reply_uid and r.kind = 'revoke'
    and r.target_id in (o.sent_message_id, o.echo_message_id))
"""

_REVISION = """
insert into revisions (uid, number, tenant, kind, action_id, target_id, text_before, changed_at)
select %(row)s, coalesce(max(number), 0) + 1, %(tenant)s, %(kind)s, %(action)s, %(target)s,
  %(before)s, %(at)s
from revisions where uid = %(row)s
on conflict (uid, kind, action_id) do nothing
returning number
"""

_UPDATE = """
update messages set content = %(text)s, said = null,
  edited_at = case when %(gone)s then edited_at else %(at)s end,
  revoked_at = case when %(gone)s then %(at)s end,
  searchable = case when author in ('contact', 'agent') and not withheld
    then to_tsvector('english', %(indexed)s) end,
  terms = case when author in ('contact', 'agent') and not withheld
    then coalesce(count_terms(to_tsvector('english', %(indexed)s)), 0) else 0 end,
  changes = changes + 1
where uid = %(row)s and tenant = %(tenant)s
"""

# Nothing reads it any more, and it would stay for as long as the reply's other parts.
_DROP_BODY = """
update outbox set body = ''
where turn_id = %(turn)s and reply_uid = %(row)s and tenant = %(tenant)s and status = 'sent'
  and %(target)s in (sent_message_id, echo_message_id)
"""

# What was said in answer to the old text tells of it, and so does what was looked for.
_REPLIES = """
with replies as (
  update messages set withheld = true
  where tenant = %(tenant)s and turn_id = %(turn)s and author = 'agent' and not withheld
)
update receipts set query = '' where tenant = %(tenant)s and turn_id = %(turn)s
"""

# Whoever quoted it has carried its old text along.
_QUOTES = """
update messages set quote = jsonb_set(quote, '{text}', to_jsonb(%(text)s::text))
where session_id = %(session)s and tenant = %(tenant)s and quote is not null
  and quote->>'message_id' = any(%(named)s)
"""

_WAIT = """
insert into waiting_changes
  (uid, tenant, channel, account, chat_id, kind, action_id, target_id, content, author_ids, from_me,
   changed_at)
select %(uid)s::uuid, %(tenant)s, %(channel)s, %(account)s, %(chat)s, %(kind)s, %(action)s,
  %(target)s, %(text)s, %(authors)s::text[], %(from_me)s, %(at)s::timestamptz
where not is_erased(%(tenant)s, %(uid)s::uuid::text)
on conflict (uid, kind, action_id) do nothing
returning change_id
"""

_PRUNE = f"""
delete from waiting_changes where tenant = %(tenant)s
  and (recorded_at < now() - interval '{WAITING_RETENTION}' or change_id <= (
    select change_id from waiting_changes where tenant = %(tenant)s
    order by change_id desc offset {MAX_WAITING} limit 1))
"""


class PostgresRevisions(Revisions):
    """`Revisions` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def change(self, change: Change, arrived_at: datetime) -> Changed:
        # A clock ahead of ours must not make every later edit look older.
        change = replace(change, changed_at=min(change.changed_at, arrived_at))
        async with self._pool.connection() as connection:
            async with connection.transaction():
                outcome = await _apply(connection, change)
                if outcome is not None:
                    return outcome
                cursor = await connection.execute(_WAIT, _keys(change))
                is_new = await cursor.fetchone() is not None
                await connection.execute(_PRUNE.encode(), {"tenant": change.chat.tenant})
            # Its message may have been stored in between, by someone who did not see it wait.
            uid = message_uid(change.chat, change.message_id)
            async with connection.transaction():
                await apply_waiting(connection, [uid])
        return "waiting" if is_new else "known"

    @override
    async def history(self, tenant: str, uid: str) -> list[Revision]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select number, kind, text_before, changed_at from revisions"
                " where tenant = %s and uid = %s order by number",
                [tenant, uid],
            )
            return [Revision(**row) for row in await cursor.fetchall()]

    @override
    async def catch_up(self, tenant: str, limit: int) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select distinct w.uid from waiting_changes w join messages m using (uid)"
                " where w.tenant = %s limit %s",
                [tenant, limit],
            )
            missed = [str(row["uid"]) for row in await cursor.fetchall()]
            if missed:
                async with connection.transaction():
                    await apply_waiting(connection, missed)
        return len(missed)


async def apply_waiting(connection: AsyncConnection[DictRow], uids: Sequence[str]) -> None:
    """Apply what waited for these messages, in order of arrival; within a transaction.

    What its message's author did not do is dropped.
    """
    if not uids:
        return
    cursor = await connection.execute(
        "delete from waiting_changes w using messages m"
        " where w.uid = any(%s::uuid[]) and m.uid = w.uid and m.tenant = w.tenant"
        " returning w.*",
        [list(uids)],
    )
    waited = await cursor.fetchall()
    for row in sorted(waited, key=lambda row: int(row["change_id"])):
        await _apply(connection, _waited(row))


async def _apply(connection: AsyncConnection[DictRow], change: Change) -> Changed | None:
    """Apply a change in a transaction; None when its message is unknown."""
    cursor = await connection.execute(_TARGET, _keys(change))
    row = await cursor.fetchone()
    if row is None:
        return None
    if not _may_change(change, row):
        return "refused"
    text, is_gone = storable(change.text), change.kind == "revoke"
    if row["author"] == "agent":
        whole = {"uid": row["uid"], "turn": row["turn_id"]}
        cursor = await connection.execute(_REMAINING, _keys(change) | whole)
        left = await cursor.fetchone()
        if left and left["parts"]:
            if change.kind == "edit":
                return "refused"  # Which words of the whole reply it replaces is not told.
            if left["is_kept"]:
                text, is_gone = left["text"], False
    is_late = row["revoked_at"] is not None or (
        change.kind == "edit"
        and row["edited_at"] is not None
        and row["edited_at"] > change.changed_at
    )
    keys = {
        **_keys(change),
        "row": row["uid"],
        "session": row["session_id"],
        "turn": row["turn_id"],
        # A late one never became the current text: it belongs to what was said before.
        "before": text if is_late else row["content"],
        "text": "" if is_gone else text,
        "indexed": "" if is_gone else searchable(text),
        "gone": is_gone,
        "named": [row["message_id"], storable(change.message_id)],
    }
    cursor = await connection.execute(_REVISION, keys)
    if await cursor.fetchone() is None:
        return "known"
    if row["author"] == "agent" and change.kind == "revoke":
        await connection.execute(_DROP_BODY, keys)
    if is_late:
        return "late"
    await connection.execute(_UPDATE, keys)
    await connection.execute(_QUOTES, keys)
    if row["author"] != "agent" and row["turn_id"]:
        await connection.execute(_REPLIES, keys)
    return "applied"


def _may_change(change: Change, row: DictRow) -> bool:
    """Tell whether the change is its author's; our account may delete what others said, too."""
    if change.from_me:
        return bool(row["from_me"]) or change.kind == "revoke"
    return not row["from_me"] and row["actor_id"] in change.author_ids


def _keys(change: Change) -> dict[str, object]:
    chat = change.chat
    return {
        "uid": message_uid(chat, change.message_id),
        "tenant": chat.tenant,
        "channel": chat.channel,
        "account": chat.account,
        "chat": chat.chat_id,
        "ids_of_account": traits_of(chat.channel).has_account_ids,
        "kind": change.kind,
        "action": storable(change.action_id),
        "target": storable(change.message_id),
        "text": storable(change.text),
        "authors": [storable(author) for author in change.author_ids],
        "from_me": change.from_me,
        "at": change.changed_at,
    }


def _waited(row: DictRow) -> Change:
    return Change(
        chat=chat_of({**row, "topic": ""}),
        message_id=row["target_id"],
        kind=row["kind"],
        action_id=row["action_id"],
        text=row["content"],
        author_ids=tuple(row["author_ids"]),
        from_me=row["from_me"],
        changed_at=row["changed_at"],
    )
