-- A turn's messages are recorded as waiting, claimed, and told their turn: nothing is derived anew
-- for that, and one look tells it, where every projection had one of its own. The reply waits for it.

create function follow_changed() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[]; both_chats bigint[];
begin
  if not exists (
    select from after_change n join before_change o using (seq)
    where (n.content, n.withheld, n.session_id, n.anchor, n.contact_id)
      is distinct from (o.content, o.withheld, o.session_id, o.anchor, o.contact_id))
  then
    return null;
  end if;
  perform owe(n.tenant, array['vectors', 'tokens', 'facts', 'uses'], array_agg(n.uid::text), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.content, n.withheld) is distinct from (o.content, o.withheld)
  group by n.tenant;
  perform owe(n.tenant, array['vectors', 'episode_vectors'],
    array_agg('anchor:' || n.anchor) || array_agg('anchor:' || o.anchor), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and n.anchor <> o.anchor group by n.tenant;
  perform owe(n.tenant, array['facts'],
    array_agg('contact:' || n.contact_id) || array_agg('contact:' || o.contact_id), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.contact_id, n.anchor) is distinct from (o.contact_id, o.anchor)
  group by n.tenant;
  perform owe(n.tenant, array['contact_states'], array_agg(n.uid::text)
    || array_agg('contact:' || n.contact_id) || array_agg('contact:' || o.contact_id), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact'
    and (n.content, n.withheld, n.contact_id) is distinct from (o.content, o.withheld, o.contact_id)
  group by n.tenant;
  select array_agg(session_id), array_agg(created_at) into which, moments from (
    select n.session_id, n.created_at from after_change n join before_change o using (seq)
    where (n.content, n.withheld, n.session_id) is distinct from (o.content, o.withheld, o.session_id)
    union
    select o.session_id, o.created_at from after_change n join before_change o using (seq)
    where n.session_id <> o.session_id) changed;
  if which is not null then
    perform note_unsaid(which, moments);
    perform owe_episodes(which, interval '0');
    select array_agg(distinct each) into both_chats from unnest(which) as each;
    perform from open_loop_courses where session_id = any(both_chats) order by session_id for update;
    update open_loop_courses set version = version + 1, stale = true
    where session_id = any(both_chats);
    delete from open_loops l using after_change n, before_change o
    where n.seq = o.seq and l.uid = n.uid
      and (n.content, n.withheld, n.session_id) is distinct from (o.content, o.withheld, o.session_id);
    perform owe_open_loops(both_chats, interval '0');
  end if;
  return null;
end $$;
drop trigger owe_changed on messages;
drop trigger owe_changed_contact_states on messages;
drop trigger owe_changed_episodes on messages;
drop trigger owe_changed_loops on messages;
drop function owe_changed, contact_states_follow_changed, episodes_follow_changed, loops_follow_changed;
create trigger owe_changed after update on messages
referencing old table as before_change new table as after_change
for each statement execute function follow_changed();

create function follow_recorded() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  if not exists (select from recorded where not pending and not withheld) then
    return null;
  end if;
  perform owe(tenant, array['vectors', 'tokens', 'facts'], array_agg(uid::text), interval '5 seconds')
  from recorded where author = 'contact' and not pending and not withheld group by tenant;
  select array_agg(session_id order by seq), array_agg(created_at order by seq) into which, moments
  from recorded where not pending and not withheld and content <> '';
  if which is not null then
    perform note_said(which, moments);
    perform loops_hear(which, moments);
    perform owe(tenant, array['episodes', 'open_loops'], array_agg('chat:' || thread_id),
      interval '5 seconds')
    from sessions where session_id = any(which) group by tenant order by tenant;
  end if;
  perform owe(tenant, array['contact_states'], array_agg(uid::text), interval '5 seconds')
  from recorded where author = 'contact' and contact_id <> '' and not pending and not withheld
  group by tenant;
  return null;
end $$;
drop trigger owe_recorded on messages;
drop trigger owe_recorded_chats on messages;
drop trigger owe_recorded_contact_states on messages;
drop function owe_recorded, chats_follow_recorded, contact_states_follow_recorded;
create trigger owe_recorded after insert on messages
referencing new table as recorded for each statement execute function follow_recorded();
