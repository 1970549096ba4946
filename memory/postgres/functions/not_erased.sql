-- Messages as `record_messages` takes them, without those that were erased, or are about one that was;
-- what quotes one loses its quote. It looks anew with each call.
create or replace function not_erased(input jsonb) returns jsonb language plpgsql as $$
begin
  if not exists (select from tombstones) then
    return input;
  end if;
  return (
    select coalesce(jsonb_agg(case when is_erased(i ->> 'tenant', i ->> 'quoted_uid')
      then i || '{"quote": null}' else i end), '[]')
    from jsonb_array_elements(input) i
    where not is_erased(i ->> 'tenant', i ->> 'uid')
      and not is_erased(i ->> 'tenant', i ->> 'about_uid'));
end $$;
