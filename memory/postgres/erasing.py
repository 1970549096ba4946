"""The statements of an erasure: what is a person's, what goes, and what keeps it from coming back.

They work on temporary tables that one transaction fills: `gone_chats` (direct chats with them, and
chats imported for them), `gone_messages` (what goes, wherever it stands), `gone_turns`, `gone_ids`
(by which others remember it), `gone_quotes` (who quotes it), `touched` (other chats that hold any).
"""

from __future__ import annotations

from typing import Final

from memory.postgres.checkpoints import ON_A_SERVER, THREADS_OF
from memory.postgres.locks import HELD

TABLES: Final = """
create temp table if not exists gone_chats (session_id bigint primary key, thread_id uuid,
  channel text, account text, chat_id text, scope text) on commit drop;
create temp table if not exists gone_messages (uid uuid primary key, session_id bigint,
  message_id text, turn_id uuid, author text, contact_id text, actor_id text) on commit drop;
create temp table if not exists gone_turns (turn_id uuid primary key) on commit drop;
create temp table if not exists gone_ids (id text primary key) on commit drop;
create temp table if not exists gone_quotes (uid uuid primary key, session_id bigint,
  turn_id uuid) on commit drop;
create temp table if not exists touched (session_id bigint primary key) on commit drop;
delete from gone_chats; delete from gone_messages; delete from gone_turns; delete from gone_ids;
delete from gone_quotes; delete from touched;
"""

# A turn goes with the person whom it answered, and stays where others were answered by it, too.
COLLECT: Final = (
    """
insert into gone_chats
select s.session_id, s.thread_id, s.channel, s.account, s.chat_id,
  s.channel || '/' || s.account || '/' || s.chat_id
from sessions s where s.tenant = %(tenant)s and (
  (not s.is_group and s.contact_id = any(%(contacts)s::text[]))
  or s.thread_id in (select unnest(i.threads) from imports i
    where i.tenant = %(tenant)s and i.contact_id = any(%(contacts)s::text[])))
""",
    """
insert into gone_messages
select m.uid, m.session_id, m.message_id, m.turn_id, m.author, m.contact_id, m.actor_id
from messages m where m.tenant = %(tenant)s
  and (m.contact_id = any(%(contacts)s::text[])
    or m.session_id in (select session_id from gone_chats))
""",
    """
insert into gone_turns
select distinct g.turn_id from gone_messages g where g.turn_id is not null and not exists (
  select from messages m where m.tenant = %(tenant)s and m.turn_id = g.turn_id
    and m.author = 'contact' and m.uid not in (select uid from gone_messages))
union
select t.turn_id from turns t
where t.tenant = %(tenant)s and t.session_id in (select session_id from gone_chats)
""",
    """
insert into gone_messages
select m.uid, m.session_id, m.message_id, m.turn_id, m.author, m.contact_id, m.actor_id
from messages m where m.tenant = %(tenant)s and m.author = 'agent'
  and m.turn_id in (select turn_id from gone_turns)
on conflict do nothing
""",
    """
insert into gone_ids
select uid::text from gone_messages
union select fact_id::text from facts
  where tenant = %(tenant)s and contact_id = any(%(contacts)s::text[])
union select unnest(%(facts)s::text[])
""",
    """
insert into gone_quotes
select m.uid, m.session_id, m.turn_id from messages m join sessions s using (session_id)
where m.tenant = %(tenant)s and m.quote is not null and m.uid not in (select uid from gone_messages)
  and (exists (select from gone_messages g where g.session_id = m.session_id
      and g.message_id = m.quote ->> 'message_id')
    or (s.channel = %(channel)s and m.quote ->> 'sender_id' = any(%(names)s::text[] || array(
      select distinct actor_id from gone_messages
      where author = 'contact' and contact_id = any(%(contacts)s::text[])))))
""",
    """
insert into touched
select session_id from gone_messages union select session_id from gone_quotes
union
select r.session_id from receipts r where r.tenant = %(tenant)s and exists (
  select from jsonb_array_elements(r.recalled) e
  where e ->> 'item_id' in (select id from gone_ids)
    or e ->> 'repeats' in (select id from gone_ids))
except
select session_id from gone_chats
""",
)

LOCK: Final = """
select thread_id::text from sessions where tenant = %(tenant)s and session_id in (
  select session_id from gone_chats union select session_id from touched)
order by session_id for update
"""
# In the order of an edit, which locks what was said and then owes it.
LOCK_MESSAGES: Final = """
select from messages where uid in (select uid from gone_messages) order by seq for update
"""
THREADS: Final = """
select s.thread_id::text from sessions s where s.tenant = %(tenant)s and session_id in (
  select session_id from gone_chats union select session_id from touched) order by 1
"""

# What is locked here nobody takes any more: whoever would passes it over.
SENDING: Final = f"""
with theirs as materialized (
  select delivery_id, status, owner from outbox where tenant = %(tenant)s
    and (turn_id in (select turn_id from gone_turns)
      or session_id in (select session_id from gone_chats)
      or reply_uid in (select uid from gone_messages))
  for update)
select coalesce(bool_or(status = 'sending' and {HELD.format(name="owner")}), false) as is_busy
from theirs
"""
DERIVING: Final = f"""
with owed as materialized (
  select b.owner from backlog b where b.tenant = %(tenant)s and b.item = any(array(
    select uid::text from gone_messages
    union select 'chat:' || thread_id from gone_chats
    union select prefix || contact from unnest(%(contacts)s::text[]) as contact,
      unnest(array['contact:', 'told:', 'anew:', 'anchor:contact:']) as prefix))
  for update)
select coalesce(bool_or(owner <> '' and {HELD.format(name="owner")}), false) as is_busy from owed
"""
# A LangGraph server takes no locks. Its last checkpoints come after the turn's end; a run that
# failed or was interrupted never ends.
RUNNING: Final = f"""
select exists (select from turns t join gone_chats s using (session_id)
  where t.tenant = %(tenant)s and {ON_A_SERVER}
    and (t.ended_at > now() - interval '2 seconds'
      or (t.state = 'running' and t.started_at > now() - interval '2 minutes'))) as is_busy
"""

_OF: Final = "tenant = %(tenant)s and contact_id = any(%(contacts)s::text[])"
_BY_UID: Final = "uid in (select uid from gone_messages)"
_BY_TURN: Final = "tenant = %(tenant)s and turn_id in (select turn_id from gone_turns)"
_ANSWERS: Final = """tenant = %(tenant)s and (turn_id in (select turn_id from gone_turns)
  or reply_uid in (select uid from gone_messages))"""
_BY_CHAT: Final = "session_id in (select session_id from gone_chats)"
_BY_THREAD: Final = f"""thread_id in (select {THREADS_OF} from sessions s where session_id in (
  select session_id from gone_chats union select session_id from touched))"""
_WAITING: Final = """tenant = %(tenant)s and (uid in (select uid from gone_messages)
  or (channel, account, chat_id) in (select channel, account, chat_id from gone_chats)
  or (channel = %(channel)s and author_ids && %(names)s::text[]))"""
_SCOPES: Final = """(scope in (select scope from gone_chats) or
  (split_part(scope, '/', 1) = %(channel)s
    and split_part(scope, '/', 3) = any(%(names)s::text[])))"""
_IDENTITIES: Final = """tenant = %(tenant)s and channel = %(channel)s
  and (canonical = any(%(names)s::text[]) or alias = any(%(names)s::text[]))"""
_JOBS: Final = """status <> 'doing' and args ->> 'tenant' = %(tenant)s
  and lock in (select thread_id::text from gone_chats)"""
_UNREADABLE: Final = """tenant = %(tenant)s and channel = %(channel)s
  and encode(body, 'escape') ~ %(pattern)s"""
NAMED: Final = """tenant = %(tenant)s and split_part(scope, '/', 1) = %(channel)s
  and (rules -> 'blocked' ?| %(spellings)s::text[]
  or rules -> 'allowed' ?| %(spellings)s::text[])"""

COUNTED: Final = {
    "chats": ("sessions", _BY_CHAT),
    "messages": ("messages", _BY_UID),
    "earlier texts": ("revisions", _BY_UID),
    "quotes by others": ("gone_quotes", "true"),
    "turns": ("turns", _BY_TURN),
    "receipts": ("receipts", _ANSWERS),
    "deliveries": ("outbox", _ANSWERS),
    "episodes": ("episodes", _BY_CHAT),
    "open loops": ("open_loops", _BY_UID),
    "facts": ("facts", _OF),
    "claims about others": ("third_party_claims", _BY_UID),
    "notes": ("notes", _BY_UID),
    "corrections": ("corrections", _BY_UID),
    "marks": ("fact_marks", _BY_UID),
    "keeping rules": ("keeping_rules", _OF),
    "model answers": ("answers", _BY_UID),
    "token vectors": ("token_vectors", _BY_UID),
    "state": ("contact_states", _OF),
    "checkpoints": ("checkpoints", _BY_THREAD),
    "ids": ("identities", _IDENTITIES),
    "imports": ("imports", _OF),
    "imported chats heard": ("audiences", _OF),
    "policies": ("policies", f"tenant = %(tenant)s and {_SCOPES}"),
    "policies that name them": ("policies", NAMED),
    "pauses": ("pauses", f"tenant = %(tenant)s and {_SCOPES}"),
    "waiting changes": ("waiting_changes", _WAITING),
    "unread webhooks": ("events", _UNREADABLE),
    "jobs": ("procrastinate_jobs", _JOBS),
}
"""What a receipt counts, each with its table and which rows of it."""

COUNT: Final = "select " + ", ".join(
    f'(select count(*) from {table} where {which}) as "{name}"'
    for name, (table, which) in COUNTED.items()
)

_WITHOUT_NAMES: Final = (
    """
update policies set rules = rules
  || case when jsonb_typeof(rules -> 'blocked') = 'array'
    then jsonb_build_object('blocked', (rules -> 'blocked') - %(spellings)s::text[])
    else '{}' end
  || case when jsonb_typeof(rules -> 'allowed') = 'array'
    then jsonb_build_object('allowed', (rules -> 'allowed') - %(spellings)s::text[])
    else '{}' end
where """
    + NAMED
)

# What others were reminded of loses what went; nothing else of their receipts changes.
_RECALLED: Final = """
update receipts r set
  recalled = coalesce((
    select jsonb_agg(case when e ->> 'repeats' in (select id from gone_ids)
      then e || '{"repeats": ""}' else e end order by n)
    from jsonb_array_elements(r.recalled) with ordinality as each (e, n)
    where e ->> 'item_id' not in (select id from gone_ids)), '[]'),
  used = case when r.used -> 'lines' is null then r.used
    else jsonb_set(r.used, '{lines}', coalesce((
    select jsonb_agg(line order by n)
    from jsonb_array_elements(r.used -> 'lines') with ordinality as each (line, n)
    where line ->> 1 not in (select id from gone_ids)), '[]')) end
where r.tenant = %(tenant)s and r.session_id in (select session_id from touched)
"""

# What ran in a chat that others are in is begun anew: its window held words that went.
_RELEASE: Final = (
    """
update messages set pending = true, turn_id = null
where tenant = %(tenant)s and author in ('contact', 'owner') and turn_id in (
  select turn_id from turns where state = 'running'
    and session_id in (select session_id from touched))
""",
    """
delete from turns where tenant = %(tenant)s and state = 'running'
  and session_id in (select session_id from touched)
""",
)

ERASE: Final = (
    f"delete from procrastinate_jobs where {_JOBS}",
    f"delete from events where {_UNREADABLE}",
    f"delete from waiting_changes where {_WAITING}",
    f"delete from identities where {_IDENTITIES}",
    "delete from moved_chats where tenant = %(tenant)s and (channel, account) in (select channel,"
    " account from gone_chats where gone_chats.chat_id in (moved_chats.chat_id, new_chat_id))",
    f"delete from pauses where tenant = %(tenant)s and ({_SCOPES}"
    " or source in (select uid::text from gone_messages))",
    "update pauses set ended_by = '' where tenant = %(tenant)s and ended_by in"
    " (select uid::text from gone_messages)",
    f"delete from policies where tenant = %(tenant)s and {_SCOPES}",
    _WITHOUT_NAMES,
    "update policies set source = case when source in (select uid::text from gone_messages)"
    "  then '' else source end,"
    " changed_by = case when changed_by = any(%(spellings)s::text[]) then '' else changed_by end"
    " where tenant = %(tenant)s and (source in (select uid::text from gone_messages)"
    "  or changed_by = any(%(spellings)s::text[]))",
    f"delete from keeping_rules where {_OF}",
    "delete from audiences where tenant = %(tenant)s and (contact_id = any(%(contacts)s::text[])"
    " or anchor in (select unnest(anchors) from imports"
    "  where tenant = %(tenant)s and contact_id = any(%(contacts)s::text[])))",
    f"delete from imports where {_OF}",
    f"delete from contact_states where {_OF}",
    f"delete from entities where {_OF}",
    f"delete from facts where {_OF}",
    "delete from audit where tenant = %(tenant)s and (thread_id in ("
    "select thread_id from gone_chats) or turn_id in (select turn_id::text from gone_turns))",
    "update receipts set query = '' where tenant = %(tenant)s and turn_id in ("
    "select turn_id from gone_quotes union select turn_id from gone_messages)",
    "update messages set quote = null where uid in (select uid from gone_quotes)",
    f"delete from outbox where {_ANSWERS}",
    f"delete from receipts where {_ANSWERS}",
    f"delete from turns where {_BY_TURN}",
    _RECALLED,
    *_RELEASE,
    f"delete from checkpoint_writes where {_BY_THREAD}",
    f"delete from checkpoint_blobs where {_BY_THREAD}",
    f"delete from checkpoints where {_BY_THREAD}",
    "delete from backlog where tenant = %(tenant)s and item in ("
    "select uid::text from gone_messages union select 'chat:' || thread_id from gone_chats)",
    f"delete from messages where {_BY_UID}",
    f"delete from sessions where {_BY_CHAT}",
    "delete from sessions s where s.session_id in (select session_id from touched)"
    " and not exists (select from messages m where m.session_id = s.session_id)",
    "select owe(%(tenant)s, array['facts', 'fact_vectors', 'entities', 'contact_states'],"
    " array(select 'contact:' || each from unnest(%(contacts)s::text[]) as each), interval '0')",
)
"""One after the other; what depends on messages goes with them."""

SENT: Final = """
select s.channel, s.account, s.chat_id, s.topic, id, o.fingerprint,
  o.attempted_at > now() - interval '15 minutes' as is_recent
from outbox o join sessions s using (session_id),
  unnest(array[o.sent_message_id, o.echo_message_id, '']) as id
where o.tenant = %(tenant)s and (o.turn_id in (select turn_id from gone_turns)
  or o.reply_uid in (select uid from gone_messages))
"""
BURY: Final = """
insert into tombstones (tenant, digest, expires_at)
select %(tenant)s, salted(what), null from (
  select uid::text as what from gone_messages
  union select unnest(%(sent)s::text[])
  union select 'import:' || digest from imports
    where tenant = %(tenant)s and contact_id = any(%(contacts)s::text[])) gone
union
select %(tenant)s, salted(what), now() + interval '15 minutes' from unnest(%(echoes)s::text[]) what
on conflict (tenant, digest) do nothing
"""
SWEEP: Final = "delete from tombstones where expires_at < now()"

FILE: Final = """
with filed as (
  insert into erasures (tenant, contact, asked_by, counts, owed)
  select %(tenant)s, salted(%(contact)s), %(asked_by)s, %(counts)s,
    array(select place from backlog
      where tenant = %(tenant)s and xmin::text = pg_current_xact_id()::xid::text)
  returning erasure_id
), noted as (
  insert into audit (tenant, turn_id, kind, outcome, detail, at)
  select %(tenant)s, '', 'memory', 'erased', erasure_id::text, now() from filed
)
select erasure_id::text from filed
"""

# A row that is owed again meanwhile keeps its place: it counts until it is worked off.
RECEIPTS: Final = """
select e.erasure_id::text, e.erased_at, e.asked_by, encode(e.contact, 'hex') as contact, e.counts,
  e.probed_at, e.places, e.traces, b.owed, b.aside
from erasures e, lateral (
  select count(*) filter (where reason = '') as owed, count(*) filter (where reason <> '') as aside
  from backlog where tenant = e.tenant and place = any(e.owed)) b
where e.tenant = %(tenant)s
"""
