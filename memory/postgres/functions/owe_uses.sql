-- Run by the triggers owe_filed_uses and owe_dropped_uses, after receipts were filed or deleted: what
-- answers used is counted behind the turn, which waits for none of it.
create or replace function owe_uses() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['uses'], array_agg(distinct uid::text), interval '1 second')
  from receipts_now, unnest(used_messages(used)) as uid group by tenant order by tenant;
  return null;
end $$;
