-- Run by the trigger owe_changed, after messages were changed: what is derived of them is owed anew, and
-- the words that are gone go in the same transaction. A turn's messages are recorded as waiting, claimed,
-- and told their turn: nothing is derived anew for that, and one look tells it, since the reply waits.
create or replace function follow_changed() returns trigger language plpgsql as $$
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
