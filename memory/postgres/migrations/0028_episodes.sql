-- Stretches of a chat about one matter, in the order of time (`created_at`, then `seq`), and how far
-- each chat's were read: they follow the ledger, and are made again where it changes.
-- `version` rises with every change, so that whoever read what was there before keeps nothing of it.
-- `pending_*`: when what was said since the last look was sent; `stale_*`: what of what was taken in
-- is not so any more. `last_*`: the last message taken in; `tracker`: what is needed to go on from it.
create table episode_courses (
  session_id bigint primary key references sessions on delete cascade,
  tenant text not null,
  made_by text not null default '',
  version bigint not null default 0,
  pending_from timestamptz,
  pending_to timestamptz,
  stale_from timestamptz,
  stale_to timestamptz,
  last_at timestamptz,
  last_seq bigint,
  tracker bytea
);

-- `digest` names the messages it was made of, `summarized` how many of them its summary covers;
-- `after_gap`: silence came before it, so that nothing earlier has a say in it.
create table episodes (
  session_id bigint not null references sessions on delete cascade,
  tenant text not null,
  first_uid uuid not null,
  began_at timestamptz not null,
  first_seq bigint not null,
  last_uid uuid not null,
  ended_at timestamptz not null,
  last_seq bigint not null,
  turns integer not null check (turns > 0),
  after_gap boolean not null,
  is_open boolean not null,
  digest text not null,
  summarized integer not null,
  summary jsonb,
  chunks jsonb not null,
  primary key (session_id, began_at, first_seq)
);
create unique index episodes_open on episodes (session_id) where is_open;
create index episodes_ended on episodes (tenant, ended_at) where is_open;
create index messages_in_time on messages (session_id, created_at, seq);

-- In one order for everybody, so that two transactions cannot wait for each other.
create function owe_episodes(sessions_of bigint[], wait interval) returns void language sql as $$
  select owe(tenant, array['episodes'], array_agg('chat:' || thread_id), wait)
  from sessions where session_id = any(sessions_of) group by tenant order by tenant
$$;

create function note_said(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from episode_courses where session_id = any(sessions_of) order by session_id for update;
  update episode_courses c set pending_from = least(pending_from, g.earliest),
    pending_to = greatest(pending_to, g.latest)
  from (select s, min(m) as earliest, max(m) as latest
    from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
end $$;

-- What was said otherwise, or not at all, goes from summaries in the same transaction.
create function note_unsaid(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from episode_courses where session_id = any(sessions_of) order by session_id for update;
  update episode_courses c set version = version + 1,
    stale_from = least(stale_from, g.earliest), stale_to = greatest(stale_to, g.latest)
  from (select s, min(m) as earliest, max(m) as latest
    from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
  update episodes e set summary = null, chunks = '[]', summarized = 0, digest = ''
  from unnest(sessions_of, moments) as given (s, m)
  where e.session_id = given.s and given.m between e.began_at and e.ended_at;
end $$;

create function episodes_follow_recorded() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id order by seq), array_agg(created_at order by seq) into which, moments
  from recorded where not pending and not withheld and content <> '';
  if which is not null then
    perform note_said(which, moments);
    perform owe_episodes(which, interval '5 seconds');
  end if;
  return null;
end $$;
create trigger owe_recorded_episodes after insert on messages
referencing new table as recorded for each statement execute function episodes_follow_recorded();

create function episodes_follow_changed() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at) into which, moments from (
    select n.session_id, n.created_at from after_change n join before_change o using (seq)
    where (n.content, n.withheld, n.session_id) is distinct from (o.content, o.withheld, o.session_id)
    union
    select o.session_id, o.created_at from after_change n join before_change o using (seq)
    where n.session_id <> o.session_id) changed;
  if which is not null then
    perform note_unsaid(which, moments);
    perform owe_episodes(which, interval '0');
  end if;
  return null;
end $$;
create trigger owe_changed_episodes after update on messages
referencing old table as before_change new table as after_change
for each statement execute function episodes_follow_changed();

create function episodes_follow_deleted() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at) into which, moments from deleted;
  if which is not null then
    perform note_unsaid(which, moments);
    perform owe_episodes(which, interval '0');
  end if;
  return null;
end $$;
create trigger owe_deleted_episodes after delete on messages
referencing old table as deleted for each statement execute function episodes_follow_deleted();

-- What waited for a turn, and what it answered, is read once it has ended. What was taken in meanwhile
-- may be of the same moment and have come later: this one goes before it.
create function episodes_follow_turn() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at - interval '1 microsecond') into which, moments
  from messages where turn_id = new.turn_id and not withheld and content <> '';
  if which is not null then
    perform note_said(which, moments);
    perform owe_episodes(which, interval '1 second');
  end if;
  return null;
end $$;
create trigger owe_turn_episodes after update of state on turns for each row
when (new.state <> 'running' and new.state <> old.state) execute function episodes_follow_turn();

insert into projections (name, generation, state) values ('episodes', 1, 'serving');
-- What was said before is read once.
select owe(tenant, array['episodes'], array_agg('chat:' || thread_id), interval '0')
from sessions group by tenant;
