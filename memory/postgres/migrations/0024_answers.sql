-- What a chat model answered when it was asked what a message tells, as far as it passed the checks:
-- whoever reads the message again has it without asking. `answer` null: none came, or not yet.
create table answers (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  digest text not null,
  reader text not null,
  answer jsonb,
  asked_at timestamptz not null default now()
);

-- What of an answer counts for nothing, and why; never a value or a text.
create table rejections (
  place bigint generated always as identity primary key,
  tenant text not null,
  uid uuid not null references messages (uid) on delete cascade,
  key text not null,
  reason text not null,
  reader text not null,
  at timestamptz not null default now()
);
create index rejections_newest on rejections (tenant, place desc);
create index rejections_of_message on rejections (uid);

-- How often a model was asked on a day in UTC, by all processes together.
create table model_calls (
  tenant text not null,
  day date not null,
  calls integer not null,
  primary key (tenant, day)
);

-- What was answered about words that are no longer there goes with them.
create function forget_answer() returns trigger language plpgsql as $$
begin
  delete from answers where uid = new.uid and tenant = new.tenant;
  return null;
end $$;
create trigger forget_answer after update of content on messages for each row
when (old.content is distinct from new.content) execute function forget_answer();
