-- Owes what is open to chats. In one order for everybody, so that two transactions cannot wait for each
-- other.
create or replace function owe_open_loops(sessions_of bigint[], wait interval)
returns void language sql as $$
  select owe(tenant, array['open_loops'], array_agg('chat:' || thread_id), wait)
  from sessions where session_id = any(sessions_of) group by tenant order by tenant
$$;
