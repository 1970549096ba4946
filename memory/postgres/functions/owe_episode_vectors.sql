-- Run by the triggers owe_kept_, owe_changed_ and owe_dropped_episode_vectors, after episodes changed: the
-- summary of one that is over has a vector. Items are the uids of first messages, of those that are over
-- now or were, and `anchor:` where a chat's messages moved or went.
create or replace function owe_episode_vectors() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['episode_vectors'], array_agg(first_uid::text), interval '0')
  from episodes_now where not is_open group by tenant order by tenant;
  return null;
end $$;
