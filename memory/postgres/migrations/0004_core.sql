-- Who may command, replies in several parts, and echoes that come under an id of their own.
alter table messages add column is_owner boolean not null default false;

alter table outbox add column part integer not null default 0;
alter table outbox add column created_at timestamptz not null default now();
alter table outbox add column echo_message_id text not null default '';
alter table outbox drop constraint outbox_turn_id_key;
alter table outbox add unique (turn_id, part);
alter table outbox drop constraint outbox_status_check;
alter table outbox add check (status in ('queued', 'sending', 'sent', 'unknown', 'failed', 'expired'));
create index outbox_of_chat on outbox (session_id, delivery_id) where status in ('queued', 'sending');
