-- What is derived of the ledger. One generation of each serves; one more may be built beside it.
create table projections (
  name text not null,
  generation integer not null,
  fingerprint text not null default '',
  state text not null check (state in ('serving', 'building')),
  begun_at timestamptz not null default now(),
  primary key (name, generation)
);
create unique index projections_serving on projections (name) where state = 'serving';
insert into projections (name, generation, state)
values ('vectors', 1, 'serving'), ('facts', 1, 'serving'), ('fact_vectors', 1, 'serving');

-- What each of them has still to take in. An item is a message's uid, contact:ID or anchor:ANCHOR.
-- `version` rises when it is owed anew, so that whoever took it before does not strike it out.
-- `owner` has it until `due_at`. `reason`: it failed for good and is set aside.
create table backlog (
  place bigint generated always as identity,
  projection text not null,
  generation integer not null,
  tenant text not null,
  item text not null,
  version integer not null default 1,
  owner text not null default '',
  due_at timestamptz not null default now(),
  reason text not null default '',
  primary key (projection, generation, tenant, item)
);
create index backlog_due on backlog (projection, generation, due_at, place) where reason = '';
create index backlog_taken on backlog (owner) where owner <> '' and reason = '';
create index backlog_aside on backlog (tenant, place) where reason <> '';

-- In one order for everybody, so that two transactions cannot wait for each other.
create function owe(whose text, which text[], items text[], wait interval)
returns void language sql as $$
  insert into backlog as b (projection, generation, tenant, item, due_at)
  select p.name, p.generation, whose, i, now() + wait
  from (select distinct unnest(items) as i) given
  cross join projections p
  where p.name = any(which)
  order by 1, 2, 4
  on conflict (projection, generation, tenant, item) do update
  set version = b.version + 1, reason = '',
    due_at = case when b.owner = '' then least(b.due_at, excluded.due_at) else b.due_at end
$$;

-- The ledger owes by itself whatever it stores, changes or deletes: nothing that writes it can forget.
-- A history is taken in by whoever records it, or else by others soon after; what waits for a turn,
-- when that has ended.
create function owe_recorded() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['vectors', 'facts'], array_agg(uid::text), interval '5 seconds')
  from recorded where author = 'contact' and not pending and not withheld group by tenant;
  return null;
end $$;
create trigger owe_recorded after insert on messages
referencing new table as recorded for each statement execute function owe_recorded();

create function owe_changed() returns trigger language plpgsql as $$
begin
  perform owe(n.tenant, array['vectors', 'facts'], array_agg(n.uid::text), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.content, n.withheld) is distinct from (o.content, o.withheld)
  group by n.tenant;
  perform owe(n.tenant, array['vectors'],
    array_agg('anchor:' || n.anchor) || array_agg('anchor:' || o.anchor), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and n.anchor <> o.anchor group by n.tenant;
  perform owe(n.tenant, array['facts'],
    array_agg('contact:' || n.contact_id) || array_agg('contact:' || o.contact_id), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.contact_id, n.anchor) is distinct from (o.contact_id, o.anchor)
  group by n.tenant;
  return null;
end $$;
create trigger owe_changed after update on messages
referencing old table as before_change new table as after_change
for each statement execute function owe_changed();

create function owe_deleted() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['vectors'], array_agg('anchor:' || anchor), interval '0')
  from deleted where author = 'contact' group by tenant;
  perform owe(tenant, array['facts'], array_agg('contact:' || contact_id), interval '0')
  from deleted where author = 'contact' group by tenant;
  return null;
end $$;
create trigger owe_deleted after delete on messages
referencing old table as deleted for each statement execute function owe_deleted();

-- A turn learns its facts itself: only where that does not happen, others do it.
create function owe_turn() returns trigger language plpgsql as $$
declare
  said text[];
begin
  select array_agg(uid::text) into said from messages
  where turn_id = new.turn_id and author = 'contact' and not withheld;
  perform owe(new.tenant, array['vectors'], said, interval '0');
  perform owe(new.tenant, array['facts'], said, interval '5 seconds');
  return null;
end $$;
create trigger owe_turn after update of state on turns for each row
when (new.state <> 'running' and new.state <> old.state) execute function owe_turn();

-- What was changed and not followed up, what failed turns have claimed, and what an import had
-- recorded when it was interrupted.
select owe(tenant, array['vectors', 'facts'], array_agg(uid::text), interval '0') from (
  select m.tenant, m.uid from messages m
  where m.author = 'contact' and m.settled_changes < m.changes
  union
  select m.tenant, m.uid from messages m join turns t using (turn_id)
  where m.author = 'contact' and not m.withheld and t.state = 'failed'
  union
  select m.tenant, m.uid from messages m join imports i on i.tenant = m.tenant
    and m.anchor = any(i.anchors)
  where m.author = 'contact' and not m.withheld and i.finished_at is null
) open group by tenant;

drop index messages_unsettled;
alter table messages drop column settled_changes;
alter table imports drop column reached;
