-- What is open in a chat (a promise, a request, a question, a date), and how far each chat was read
-- for it: it follows the ledger in the order of time (`created_at`, then `seq`).
-- `version` rises with whatever is said, so that whoever read before keeps nothing; `stale`: what was
-- read is not so any more. `tracker`: what bears on the next message.
create table open_loop_courses (
  session_id bigint primary key references sessions on delete cascade,
  tenant text not null,
  made_by text not null default '',
  version bigint not null default 0,
  stale boolean not null default false,
  last_at timestamptz,
  last_seq bigint,
  tracker jsonb
);

-- `by_whom` has to act; `lapses_on`: the last day on which it counts; `number`: the message's place
-- among those read. `changes` is that of the message it was made of.
create table open_loops (
  uid uuid not null references messages (uid) on delete cascade,
  kind text not null check (kind in ('promise', 'request', 'question', 'date')),
  session_id bigint not null references sessions on delete cascade,
  tenant text not null,
  changes integer not null,
  speaker text not null,
  by_whom text not null,
  content text not null,
  said_at timestamptz not null,
  zone text not null,
  due date,
  lapses_on date not null,
  confidence real not null check (confidence between 0 and 1),
  number integer not null,
  replies integer not null,
  vector bytea not null,
  primary key (uid, kind)
);
create index open_loops_of on open_loops (session_id);
create index open_loops_listed on open_loops (tenant, lapses_on);

create function owe_open_loops(sessions_of bigint[], wait interval) returns void language sql as $$
  select owe(tenant, array['open_loops'], array_agg('chat:' || thread_id), wait)
  from sessions where session_id = any(sessions_of) group by tenant order by tenant
$$;

-- What is said before what was read last makes that stale.
create function loops_hear(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from open_loop_courses where session_id = any(sessions_of) order by session_id for update;
  update open_loop_courses c set version = version + 1,
    stale = stale or coalesce(c.last_at >= g.earliest, false)
  from (select s, min(m) as earliest from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
end $$;

create function loops_follow_recorded() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at) into which, moments
  from recorded where not pending and not withheld and content <> '';
  if which is not null then
    perform loops_hear(which, moments);
    perform owe_open_loops(which, interval '5 seconds');
  end if;
  return null;
end $$;
create trigger owe_recorded_loops after insert on messages
referencing new table as recorded for each statement execute function loops_follow_recorded();

-- The words of what was edited or taken back are gone in the same transaction.
create function loops_follow_changed() returns trigger language plpgsql as $$
declare
  which bigint[];
begin
  select array_agg(distinct each) into which
  from after_change n join before_change o using (seq),
    unnest(array[n.session_id, o.session_id]) as each
  where (n.content, n.withheld, n.session_id) is distinct from (o.content, o.withheld, o.session_id);
  if which is not null then
    perform from open_loop_courses where session_id = any(which) order by session_id for update;
    update open_loop_courses set version = version + 1, stale = true where session_id = any(which);
    delete from open_loops l using after_change n, before_change o
    where n.seq = o.seq and l.uid = n.uid
      and (n.content, n.withheld, n.session_id) is distinct from (o.content, o.withheld, o.session_id);
    perform owe_open_loops(which, interval '0');
  end if;
  return null;
end $$;
create trigger owe_changed_loops after update on messages
referencing old table as before_change new table as after_change
for each statement execute function loops_follow_changed();

create function loops_follow_deleted() returns trigger language plpgsql as $$
declare
  which bigint[];
begin
  select array_agg(distinct session_id) into which from deleted;
  if which is not null then
    perform from open_loop_courses where session_id = any(which) order by session_id for update;
    update open_loop_courses set version = version + 1, stale = true where session_id = any(which);
    perform owe_open_loops(which, interval '0');
  end if;
  return null;
end $$;
create trigger owe_deleted_loops after delete on messages
referencing old table as deleted for each statement execute function loops_follow_deleted();

-- What waited for a turn, and what it answered, is read once it has ended.
create function loops_follow_turn() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at) into which, moments
  from messages where turn_id = new.turn_id and not withheld and content <> '';
  if which is not null then
    perform loops_hear(which, moments);
    perform owe_open_loops(which, interval '1 second');
  end if;
  return null;
end $$;
create trigger owe_turn_loops after update of state on turns for each row
when (new.state <> 'running' and new.state <> old.state) execute function loops_follow_turn();

insert into projections (name, generation, state) values ('open_loops', 1, 'serving');
-- What was said before is read once.
select owe(tenant, array['open_loops'], array_agg('chat:' || thread_id), interval '0')
from sessions group by tenant;
