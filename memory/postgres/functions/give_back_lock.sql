-- Gives back a lock that `take_lock` took in this session.
create or replace function give_back_lock(name text) returns text language plpgsql as $$
begin
  delete from taken_locks where key = hashtextextended(name, 0);
  perform pg_advisory_unlock(hashtextextended(name, 0));
  return 'free';
end $$;
