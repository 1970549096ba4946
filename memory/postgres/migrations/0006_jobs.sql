-- The queue library's schema is brought up to date by its own migration files: the last one applied.
create table queue_version (
  migration text primary key,
  applied_at timestamptz not null default now()
);

-- `held_until`: the channel told us to wait so long, whatever else happens.
-- `missed_at`: when the chat was first looked up for an attempt of open outcome, in vain.
-- `tried_at`: when the last attempt began by the clock of whoever made it, to compare with what the
-- channel says; `attempted_at` is the same by the database's clock.
alter table outbox add column held_until timestamptz;
alter table outbox add column tried_at timestamptz;
alter table outbox add column missed_at timestamptz;
create index outbox_attempts on outbox (session_id, attempted_at) where attempted_at is not null;
create index outbox_settled on outbox (settled_at) where status in ('sent', 'expired');

-- What waits, by chat.
create index messages_pending_of_chat on messages (session_id, actor_id) where pending;
create index turns_of_chat on turns (session_id, started_at desc);
