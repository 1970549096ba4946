-- Run by the trigger owe_turn, when a turn has ended: what waited for it, and what it answered, is owed in
-- one statement, since the reply waits for it. Moods are read a moment after the vectors, and facts by the
-- turn itself, if nothing comes between. What was taken in meanwhile of the very moment of a turn's message
-- may have been read before it.
create or replace function owe_turn() returns trigger language plpgsql as $$
declare
  said text[]; which bigint[]; moments timestamptz[];
begin
  select array_agg(uid::text) filter (where author = 'contact'),
    array_agg(session_id) filter (where content <> ''),
    array_agg(created_at) filter (where content <> '')
  into said, which, moments from messages where turn_id = new.turn_id and not withheld;
  if which is not null then
    perform note_said(which, array(select m - interval '1 microsecond' from unnest(moments) m));
    perform loops_hear(which, moments);
  end if;
  insert into backlog as b (projection, generation, tenant, item, due_at)
  select p.name, p.generation, new.tenant, g.item, now() + g.wait
  from (
    select w.name, s as item, w.wait from unnest(said) s, (values
      ('vectors', interval '0'), ('tokens', interval '0'), ('facts', interval '5 seconds'),
      ('contact_states', interval '1 second')) as w (name, wait)
    union all
    select w.name, 'chat:' || s.thread_id, interval '1 second' from sessions s, (values
      ('episodes'), ('open_loops')) as w (name) where s.session_id = any(which)
  ) g join projections p on p.name = g.name
  order by 1, 2, 4
  -- As `owe` does.
  on conflict (projection, generation, tenant, item) do update
  set version = b.version + 1, reason = '',
    due_at = case when b.owner = '' then least(b.due_at, excluded.due_at) else b.due_at end;
  return null;
end $$;
