-- What a person corrected by hand can be undone: then it counts as if it had not been done.
alter table corrections add column undone_at timestamptz;

-- Which act of a person's keeps a message out of prompts, searches and lessons, or words of it, so
-- that it comes back when the last of them is undone. What was kept out for another reason has no row.
create table kept_out (
  uid uuid not null references messages (uid) on delete cascade,
  tenant text not null,
  act text not null,
  words boolean not null,
  primary key (uid, act, words)
);
create index kept_out_by_act on kept_out (tenant, act);
