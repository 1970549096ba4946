"""A database of a busy year: two tenants, many chats, one large group, replies of all ages.

Rows are made by the server itself, which takes seconds where the ledger would take an hour. Half of
the messages are the group's; one chat in four was active today and has all its checkpoints still.
"""

from __future__ import annotations

from dataclasses import dataclass

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.types.json import Jsonb

from memory.domain.chats import ChatRef
from memory.postgres.migrate import migrate
from memory.postgres.pool import Pool
from memory.postgres.procrastinate_schema import migrate_queue

TENANT, OTHER = "big", "other"
GROUP = "crowd@g.us"
CHECKPOINTS_A_TURN = 8


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is. A direct chat holds about 50 messages."""

    messages: int = 200_000
    deliveries: int = 200_000
    turns: int = 20
    """Turns of which an active chat still has the checkpoints."""

    @property
    def chats(self) -> int:
        """Direct chats of both tenants; the first one is another tenant's, as is each tenth."""
        return self.messages // 100


def chat(number: int) -> ChatRef:
    """Return a direct chat by its number, from 1."""
    return ChatRef(OTHER if number % 10 == 1 else TENANT, "waha", "phone", f"{number}@c.us")


def group_anchor() -> str:
    """Return the anchor of the large group."""
    return ChatRef(TENANT, "waha", "phone", GROUP).group_anchor


# A word's rank is about exponential: few words are frequent, most are rare.
_WORDS = """
create function words(many integer, seed bigint) returns text language sql volatile as $$
  select string_agg('w' || floor(exp(random() * 9.2))::integer, ' ')
  from generate_series(1, many) where seed is not null
$$
"""

_SESSIONS = """
insert into sessions
  (thread_id, tenant, channel, account, chat_id, topic, contact_id, is_group, started_at)
select (c->>'thread')::uuid, c->>'tenant', 'waha', 'phone', c->>'chat', '',
  case when (c->>'chat') like '%%@g.us' then '' else 'waha:' || (c->>'chat') end,
  (c->>'chat') like '%%@g.us', now() - interval '300 days'
from unnest(%(sessions)s::jsonb[]) as c
"""

# `seq` runs with time; a chat's messages lie scattered over the table, as they come in.
_MESSAGES = """
with line as (
  select n, n %% 2 = 0 as in_group, 1 + (n / 2 * 7919) %% %(chats)s as chat,
    n %% 3 > 0 or n %% 2 = 0 and n %% 20 > 0 as of_contact,
    now() - (%(messages)s - n) * interval '300 days' / %(messages)s as at
  from generate_series(1, %(messages)s) as n
), said as (
  select line.*, s.session_id, s.tenant,
    'waha:' || case when in_group then 'member' || n %% 300 else s.chat_id end as contact,
    words(4 + (n %% 12)::integer, n) as content
  from line
  join sessions s on s.chat_id = case when in_group then %(group)s else chat || '@c.us' end
)
insert into messages
  (uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id, anchor,
   content, created_at, recorded_at, from_me, mentions_agent, replies_to_agent, forwarded, pending,
   searchable, terms)
select md5('message' || n)::uuid, session_id,
  row_number() over (partition by session_id order by n), tenant, 'm' || n,
  case when of_contact then 'contact' else 'agent' end, contact, contact, contact,
  case when in_group then %(anchor)s else 'contact:' || contact end, content, at, at,
  not of_contact, false, false, false, of_contact and n > %(messages)s - 20,
  case when of_contact then to_tsvector('english', content) end,
  case when of_contact then count_terms(to_tsvector('english', content)) else 0 end
from said order by n
"""

_TURNS = """
insert into turns (turn_id, session_id, tenant, state, reason, started_at, ended_at)
select md5('turn' || seq)::uuid, session_id, tenant,
  case seq %% 5000 when 1 then 'failed' when 2 then 'running' else 'done' end, '', recorded_at,
  recorded_at
from messages where author = 'agent' or seq %% 5000 in (1, 2)
"""

# Nine in ten are settled; of the rest most are lost for good.
_DELIVERIES = """
insert into outbox
  (turn_id, part, session_id, tenant, channel, reply_uid, body, fingerprint, status, attempts,
   due_at, attempted_at, tried_at, settled_at, created_at, sent_message_id, echo_message_id)
select md5('delivery' || n)::uuid, 0, s.session_id, s.tenant, 'waha', md5('message' || n)::uuid,
  case when age < interval '1 day' then 'reply ' || n else '' end, md5('reply ' || n %% 5000),
  status, 1, at, at, at, case when status in ('queued', 'sending') then null else at end, at,
  case when status = 'sent' then 'sent' || n else '' end,
  case when status = 'sent' and n %% 2 = 0 then 'echo' || n else '' end
from (
  select n, 1 + n * 7919 %% %(chats)s as chat, age, now() - age as at,
    case when n > %(deliveries)s * 0.99 then 'queued' when n %% 10000 = 5 then 'sending'
      when n %% 100 = 7 then 'unknown' when n %% 200 = 9 then 'failed'
      when n %% 50 = 11 then 'expired' else 'sent' end as status
  from generate_series(1, %(deliveries)s) as n,
    lateral (select (%(deliveries)s - n) * interval '30 days' / %(deliveries)s as age) aged
) d join sessions s on s.chat_id = d.chat || '@c.us'
"""

_IDENTITIES = """
insert into identities (tenant, channel, alias, canonical, account, how, learned_at, joined_at)
select tenant, 'waha', session_id || '@lid', chat_id, 'phone', 'event', now(), now()
from sessions where session_id %% 4 = 0
"""

# As langgraph writes them: every one but a run's last has a branch to take.
_CHECKPOINTS = """
insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
select s.thread_id, id, '', null, jsonb_build_object('v', 4, 'id', id, 'ts', now(),
    'channel_values', jsonb_build_object('window_seq', n) || case n %% 8 when 0 then '{}'
      else jsonb_build_object('branch:to:' || (array['', 'normalize', 'policy_gate', 'retrieve',
        'generate', 'store', 'extract', 'extract'])[1 + n %% 8], null) end,
    'channel_versions', (select jsonb_object_agg('branch:to:' || v, md5(n || '-' || v) || v)
      from generate_series(1, 24) as v)),
  jsonb_build_object('source', case n %% 8 when 1 then 'input' else 'loop' end, 'step', n)
from sessions s, lateral generate_series(
    case when s.session_id %% 4 = 0 then 1 else %(last)s end,
    case when s.session_id %% 100 = 8 then %(last)s + 1 + s.session_id / 100 %% 7
      else %(last)s end) as n,
  lateral (select '1f1e' || lpad(n::text, 8, '0') as id) named
"""

_FILLED = (_WORDS, _SESSIONS, _MESSAGES, _TURNS, _DELIVERIES, _IDENTITIES, _CHECKPOINTS)


async def fill(pool: Pool, size: Size) -> None:
    """Make the schema in an empty database and fill it; the same rows each time, words aside."""
    await migrate(pool)
    await migrate_queue(pool)
    await AsyncPostgresSaver(pool).setup()
    chats = [chat(number) for number in range(1, size.chats + 1)]
    chats.append(ChatRef(TENANT, "waha", "phone", GROUP))
    rows = [{"thread": c.thread_id, "tenant": c.tenant, "chat": c.chat_id} for c in chats]
    keys = {
        "sessions": [Jsonb(row) for row in rows],
        "chats": size.chats,
        "messages": size.messages,
        "deliveries": size.deliveries,
        "group": GROUP,
        "anchor": group_anchor(),
        "last": size.turns * CHECKPOINTS_A_TURN,
    }
    async with pool.connection() as connection:
        for statement in _FILLED:
            given = (
                keys | {"chats": [Jsonb(row) for row in rows]} if statement is _SESSIONS else keys
            )
            await connection.execute(statement.encode(), given)
        await connection.execute("drop function words")
        await connection.execute("vacuum analyze")
