-- What each message tells of who wrote it: mood, energy, language. It goes with the message.
-- `changes` is that of the message it was read from, `made_by` names what read it.
create table moods (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  made_by text not null,
  changes integer not null,
  mood text not null,
  confidence double precision not null check (confidence between 0 and 1),
  energy double precision not null check (energy between 0 and 1),
  language text not null
);

-- What a contact's messages come to, in the order of time. `told_name` is a fact's, `said_name` what
-- they are called where they wrote last, `channel` where that was; `zone` that in which days count.
-- `version` rises with every change, so that of two who write at once one looks again.
create table contact_states (
  tenant text not null,
  contact_id text not null,
  told_name text not null,
  said_name text not null,
  channel text not null,
  zone text not null,
  made_by text not null,
  version bigint not null,
  course jsonb not null,
  primary key (tenant, contact_id)
);

create function contact_states_follow_recorded() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['contact_states'], array_agg(uid::text), interval '5 seconds')
  from recorded where author = 'contact' and contact_id <> '' and not pending and not withheld
  group by tenant;
  return null;
end $$;
create trigger owe_recorded_contact_states after insert on messages
referencing new table as recorded for each statement
execute function contact_states_follow_recorded();

create function contact_states_follow_changed() returns trigger language plpgsql as $$
begin
  perform owe(n.tenant, array['contact_states'], array_agg(n.uid::text)
    || array_agg('contact:' || n.contact_id) || array_agg('contact:' || o.contact_id), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact'
    and (n.content, n.withheld, n.contact_id) is distinct from (o.content, o.withheld, o.contact_id)
  group by n.tenant;
  return null;
end $$;
create trigger owe_changed_contact_states after update on messages
referencing old table as before_change new table as after_change
for each statement execute function contact_states_follow_changed();

create function contact_states_follow_deleted() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['contact_states'], array_agg(distinct 'contact:' || contact_id),
    interval '0')
  from deleted where author = 'contact' group by tenant;
  return null;
end $$;
create trigger owe_deleted_contact_states after delete on messages
referencing old table as deleted for each statement
execute function contact_states_follow_deleted();

-- A moment after the vectors, which moods are read from.
create function contact_states_follow_turn() returns trigger language plpgsql as $$
declare
  said text[];
begin
  select array_agg(uid::text) into said from messages
  where turn_id = new.turn_id and author = 'contact' and not withheld;
  perform owe(new.tenant, array['contact_states'], said, interval '1 second');
  return null;
end $$;
create trigger owe_turn_contact_states after update of state on turns for each row
when (new.state <> 'running' and new.state <> old.state)
execute function contact_states_follow_turn();

insert into projections (name, generation, state) values ('contact_states', 1, 'serving');
-- What was said before is read once.
select owe(tenant, array['contact_states'], array_agg(distinct 'contact:' || contact_id), interval '0')
from messages where author = 'contact' and contact_id <> '' group by tenant;
