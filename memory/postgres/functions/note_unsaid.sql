-- Tells the courses of episodes what was said otherwise, or not at all: it goes from summaries and from the
-- sums of vectors in the same transaction.
create or replace function note_unsaid(sessions_of bigint[], moments timestamptz[]) returns void
language plpgsql as $$
begin
  perform from episode_courses where session_id = any(sessions_of) order by session_id for update;
  update episode_courses c set version = version + 1,
    stale_from = least(stale_from, g.earliest), stale_to = greatest(stale_to, g.latest)
  from (select s, min(m) as earliest, max(m) as latest
    from unnest(sessions_of, moments) as given (s, m) group by s) g
  where c.session_id = g.s;
  update episodes e set summary = null, chunks = '[]', summarized = 0, digest = '', vector_sum = null
  from unnest(sessions_of, moments) as given (s, m)
  where e.session_id = given.s and given.m between e.began_at and e.ended_at;
end $$;
