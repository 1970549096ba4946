-- Tells the courses of episodes when something was said that is to be taken in: the least and the latest
-- moment of each chat. In one order for everybody, so that two transactions cannot wait for each other.
create or replace function note_said(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from episode_courses where session_id = any(sessions_of) order by session_id for update;
  update episode_courses c set pending_from = least(pending_from, g.earliest),
    pending_to = greatest(pending_to, g.latest)
  from (select s, min(m) as earliest, max(m) as latest
    from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
end $$;
