-- Takes a lock for this session unless another has it. 'lost': whoever had it before never gave it
-- back.
create or replace function take_lock(name text) returns text language plpgsql as $$
declare
  wanted bigint := hashtextextended(name, 0);
begin
  if not pg_try_advisory_lock(wanted) then
    return 'held';
  end if;
  insert into taken_locks values (wanted) on conflict do nothing;
  return case when found then 'taken' else 'lost' end;
end $$;
