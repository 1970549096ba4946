-- Run by the trigger owe_deleted, after messages were deleted: vectors and facts of whom they were about
-- are made of what is left.
create or replace function owe_deleted() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['vectors', 'episode_vectors'], array_agg('anchor:' || anchor), interval '0')
  from deleted where author = 'contact' group by tenant;
  perform owe(tenant, array['facts'], array_agg('contact:' || contact_id), interval '0')
  from deleted where author = 'contact' group by tenant;
  return null;
end $$;
