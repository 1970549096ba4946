-- Facts of contacts for some keys, held by this transaction: a contact is written by one at a time.
-- The lock comes first, so that what is read holds what others wrote before they let go.
create or replace function locked_facts(whose text, contacts text[], keys text[])
returns setof facts language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('facts' || chr(31) || whose || chr(31) || c, 0))
  from unnest(contacts) as c;
  return query
  select * from facts f
  where f.tenant = whose and f.contact_id = any(contacts) and f.key = any(keys)
  order by f.place;
end $$;
