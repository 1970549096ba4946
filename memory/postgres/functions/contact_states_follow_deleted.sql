-- Run by the trigger owe_deleted_contact_states, after messages were deleted: what a contact is like is
-- made of what is left.
create or replace function contact_states_follow_deleted() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['contact_states'], array_agg(distinct 'contact:' || contact_id),
    interval '0')
  from deleted where author = 'contact' group by tenant;
  return null;
end $$;
