-- The transcript: one session a chat, every message once.
create table sessions (
  session_id bigint generated always as identity primary key,
  thread_id uuid not null unique,
  tenant text not null,
  channel text not null,
  account text not null,
  chat_id text not null,
  topic text not null,
  contact_id text not null,
  is_group boolean not null,
  started_at timestamptz not null,
  unique (tenant, channel, account, chat_id, topic)
);

create table messages (
  seq bigint generated always as identity primary key,
  uid uuid not null unique,
  session_id bigint not null references sessions on delete cascade,
  position integer not null,
  tenant text not null,
  message_id text not null,
  author text not null check (author in ('contact', 'agent', 'owner', 'automation', 'system')),
  role text not null generated always as (
    case author when 'contact' then 'user' when 'system' then 'system' else 'assistant' end
  ) stored,
  actor_id text not null,
  actor_name text not null,
  contact_id text not null,
  anchor text not null,
  content text not null,
  created_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  from_me boolean not null,
  mentions_agent boolean not null,
  replies_to_agent boolean not null,
  forwarded boolean not null,
  quote jsonb,
  pending boolean not null,
  turn_id uuid,
  searchable tsvector,
  terms integer not null default 0,
  unique (session_id, message_id)
);
create index messages_in_order on messages (session_id, position);
create index messages_pending on messages (tenant, seq) where pending;
create index messages_of_turn on messages (turn_id) where turn_id is not null;
create index messages_in_scope on messages (tenant, anchor) include (terms) where author = 'contact';

create function count_terms(vector tsvector) returns integer language sql immutable strict as
$$ select coalesce(sum(cardinality(positions)), 0)::integer from unnest(vector) $$;

create table turns (
  turn_id uuid primary key,
  session_id bigint not null references sessions on delete cascade,
  tenant text not null,
  state text not null check (state in ('running', 'done', 'failed')),
  reason text not null default '',
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create index turns_open on turns (tenant, started_at) where state <> 'done';

-- What each reply was based on: ids and scores, no text.
create table receipts (
  turn_id uuid primary key,
  session_id bigint not null references sessions on delete cascade,
  tenant text not null,
  reply_uid uuid not null,
  query text not null,
  recalled jsonb not null,
  nodes text[] not null,
  model text not null,
  created_at timestamptz not null
);
create index receipts_of_chat on receipts (session_id, created_at desc);

create table outbox (
  delivery_id bigint generated always as identity primary key,
  turn_id uuid not null unique,
  session_id bigint not null references sessions on delete cascade,
  tenant text not null,
  channel text not null,
  reply_uid uuid not null,
  reply_to text not null default '',
  body text not null,
  fingerprint text not null,
  status text not null check (status in ('queued', 'sending', 'sent', 'unknown', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  attempted_at timestamptz,
  settled_at timestamptz,
  sent_message_id text not null default ''
);
create index outbox_open on outbox (tenant, channel, due_at) where status in ('queued', 'sending');
create index outbox_echo on outbox (session_id, fingerprint);
