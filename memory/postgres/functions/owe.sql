-- Owes items to the projections that are named, in every generation that there is, after a wait. In one
-- order for everybody, so that two transactions cannot wait for each other.
create or replace function owe(whose text, which text[], items text[], wait interval)
returns void language sql as $$
  insert into backlog as b (projection, generation, tenant, item, due_at)
  select p.name, p.generation, whose, i, now() + wait
  from (select distinct unnest(items) as i) given
  cross join projections p
  where p.name = any(which)
  order by 1, 2, 4
  on conflict (projection, generation, tenant, item) do update
  set version = b.version + 1, reason = '',
    due_at = case when b.owner = '' then least(b.due_at, excluded.due_at) else b.due_at end
$$;
