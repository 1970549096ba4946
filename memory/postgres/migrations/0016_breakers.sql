-- Accounts whose sends fail: how often in a row, since when, and when the next trial may be made.
-- An account that works has no row.
create table breakers (
  tenant text not null,
  channel text not null,
  account text not null,
  failures integer not null,
  since timestamptz not null,
  trial_at timestamptz not null,
  primary key (tenant, channel, account)
);

-- What waits is looked for by account: one with much that may not be sent now costs the others nothing.
-- A trigger, so that whoever stores a reply names its chat alone.
alter table outbox add column account text not null default '';
update outbox o set account = s.account from sessions s where s.session_id = o.session_id;
create function name_account() returns trigger language plpgsql as $$
begin
  select s.account into new.account from sessions s where s.session_id = new.session_id;
  return new;
end $$;
create trigger outbox_account before insert on outbox for each row execute function name_account();
drop index outbox_queued;
create index outbox_queued on outbox (tenant, channel, account, delivery_id) where status = 'queued';
