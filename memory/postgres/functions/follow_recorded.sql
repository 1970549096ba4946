-- Run by the trigger owe_recorded, after messages were stored: what is derived of them is owed. A history
-- is taken in by whoever records it, or else by others soon after; what waits for a turn, when that has
-- ended (`owe_turn`).
create or replace function follow_recorded() returns trigger language plpgsql as $$
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
