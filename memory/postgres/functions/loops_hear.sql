-- Tells the reading of what is open that something was said: whoever read before keeps nothing. What is
-- said before what was read last makes that stale. In one order for everybody, so that two transactions
-- cannot wait for each other.
create or replace function loops_hear(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from open_loop_courses where session_id = any(sessions_of) order by session_id for update;
  update open_loop_courses c set version = version + 1,
    stale = stale or coalesce(c.last_at >= g.earliest, false)
  from (select s, min(m) as earliest from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
end $$;
