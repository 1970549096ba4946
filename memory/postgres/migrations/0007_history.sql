-- What messages said before they were edited or deleted. A change of which the message is still to
-- come waits in `waiting_changes`.
alter table messages add column edited_at timestamptz;
alter table messages add column revoked_at timestamptz;
alter table messages add column changes integer not null default 0;
alter table messages add column settled_changes integer not null default 0;
create index messages_unsettled on messages (tenant, seq) where settled_changes < changes;
create index messages_of_contact on messages (tenant, contact_id);
create index messages_quoting on messages (session_id, (quote->>'message_id'))
  where quote is not null;

create table revisions (
  uid uuid not null references messages (uid) on delete cascade,
  number integer not null,
  tenant text not null,
  kind text not null check (kind in ('edit', 'revoke')),
  action_id text not null,
  target_id text not null,
  text_before text not null,
  changed_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (uid, number),
  unique (uid, kind, action_id)
);

create table waiting_changes (
  change_id bigint generated always as identity primary key,
  uid uuid not null,
  tenant text not null,
  channel text not null,
  account text not null,
  chat_id text not null,
  kind text not null check (kind in ('edit', 'revoke')),
  action_id text not null,
  target_id text not null,
  content text not null,
  author_ids text[] not null,
  from_me boolean not null,
  changed_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  unique (uid, kind, action_id)
);
create index waiting_changes_of_tenant on waiting_changes (tenant, change_id);

-- Hidden ids of people, and the id that stands for both. `joined_at`: what was stored under the
-- hidden one is the other's since.
create table identities (
  tenant text not null,
  channel text not null,
  alias text not null,
  canonical text not null,
  account text not null,
  how text not null,
  learned_at timestamptz not null default now(),
  joined_at timestamptz,
  primary key (tenant, channel, alias)
);
create index identities_of_person on identities (tenant, channel, canonical);
create index identities_unjoined on identities (tenant, learned_at) where joined_at is null;

create index sessions_of_chat on sessions (tenant, channel, chat_id);
create index sessions_hidden on sessions (tenant, channel, chat_id) where chat_id like '%@lid';

create table own_ids (
  channel text not null,
  account text not null,
  own_id text not null,
  seen_at timestamptz not null default now(),
  primary key (channel, account, own_id)
);

create table moved_chats (
  thread_id uuid primary key,
  tenant text not null,
  channel text not null,
  account text not null,
  chat_id text not null,
  new_chat_id text not null,
  announced_at timestamptz not null default now(),
  moved_at timestamptz
);

-- Authentic webhooks that could not be read.
create table events (
  event_id bigint generated always as identity primary key,
  tenant text not null,
  channel text not null,
  account text not null,
  received_at timestamptz not null default now(),
  reason text not null,
  digest bytea not null,
  size integer not null,
  times integer not null default 1,
  body bytea not null,
  unique (tenant, channel, account, digest)
);
create index events_of_account on events (tenant, channel, account, event_id);

-- By which id a reply's parts were sent: edits, revokes and echoes name that one.
create index outbox_of_sent_id on outbox (sent_message_id) where sent_message_id <> '';
create index outbox_of_echo_id on outbox (echo_message_id) where echo_message_id <> '';
