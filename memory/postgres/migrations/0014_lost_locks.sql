-- Which locks were taken and not yet given back. One that is free and still here was lost with its
-- holder's connection: the holder may not know it yet. After a crash of the server nobody holds any.
create unlogged table taken_locks (key bigint primary key);

-- Takes a lock for this session unless another has it. 'lost': whoever had it before never gave it
-- back.
create function take_lock(name text) returns text language plpgsql as $$
declare
  wanted bigint := hashtextextended(name, 0);
begin
  if not pg_try_advisory_lock(wanted) then
    return 'held';
  end if;
  insert into taken_locks values (wanted) on conflict do nothing;
  return case when found then 'taken' else 'lost' end;
end $$;

create function give_back_lock(name text) returns text language plpgsql as $$
begin
  delete from taken_locks where key = hashtextextended(name, 0);
  perform pg_advisory_unlock(hashtextextended(name, 0));
  return 'free';
end $$;
