-- The summary of an episode that is over has a vector. Items are the uids of first messages, of those
-- that are over now or were, and `anchor:` where a chat's messages moved or went.
create function owe_episode_vectors() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['episode_vectors'], array_agg(first_uid::text), interval '0')
  from episodes_now where not is_open group by tenant order by tenant;
  return null;
end $$;
create trigger owe_kept_episode_vectors after insert on episodes
referencing new table as episodes_now for each statement execute function owe_episode_vectors();
create trigger owe_changed_episode_vectors after update on episodes
referencing new table as episodes_now for each statement execute function owe_episode_vectors();
create trigger owe_dropped_episode_vectors after delete on episodes
referencing old table as episodes_now for each statement execute function owe_episode_vectors();

do $$ begin
  execute replace(pg_get_functiondef('owe_changed()'::regprocedure),
    'array[''vectors'']', 'array[''vectors'', ''episode_vectors'']');
  execute replace(pg_get_functiondef('owe_deleted()'::regprocedure),
    'array[''vectors'']', 'array[''vectors'', ''episode_vectors'']');
end $$;

insert into projections (name, generation, state) values ('episode_vectors', 1, 'serving');
-- What is over already is taken in once.
select owe(tenant, array['episode_vectors'], array_agg(first_uid::text), interval '0')
from episodes where not is_open group by tenant;
