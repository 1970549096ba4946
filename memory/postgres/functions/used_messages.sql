-- The messages among what an answer used (`receipts.used`), each once. The index receipts_by_used is made
-- of it: a change of what it returns needs that made anew by a migration.
create or replace function used_messages(used jsonb) returns uuid[] language sql immutable strict as $$
  select array_agg(distinct (line ->> 1)::uuid) from jsonb_array_elements(used -> 'lines') as line
  where line ->> 0 in ('message', 'quote', 'window')
    and line ->> 1 ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
