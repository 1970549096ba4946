-- As `write_facts`, if nobody has written these keys of these contacts since they were read: `seen` are
-- the rows, each with the transaction that wrote it. False, and nothing is written, if somebody has.
create or replace function write_seen_facts(
  whose text, contacts text[], keys text[], seen text[], inserted jsonb, changed jsonb
) returns boolean language plpgsql as $$
begin
  perform from locked_facts(whose, contacts, keys);
  if seen is distinct from (
    select coalesce(array_agg(f.fact_id || ' ' || f.xmin order by f.place), '{}') from facts f
    where f.tenant = whose and f.contact_id = any(contacts) and f.key = any(keys)
  ) then
    return false;
  end if;
  perform write_facts(whose, inserted, changed);
  return true;
end $$;
