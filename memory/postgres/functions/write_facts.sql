-- Facts as JSON arrays of rows: first those that are new, then those that changed, each in order.
-- An id follows from what was said: a row that another contact has is the same one, said by somebody
-- whose id has changed since.
create or replace function write_facts(whose text, inserted jsonb, changed jsonb) returns void
language plpgsql as $$
declare each facts;
begin
  for each in select * from jsonb_populate_recordset(null::facts, inserted) loop
    insert into facts (fact_id, tenant, contact_id, category, key, value, confidence, importance,
      source_uid, anchor, status, valid_from, valid_to, recorded_from, recorded_to, closed_by,
      stated_confidence, read_by, span_start, span_end, expires_at)
    values (each.fact_id, each.tenant, each.contact_id, each.category, each.key, each.value,
      each.confidence, each.importance, each.source_uid, each.anchor, each.status, each.valid_from,
      each.valid_to, each.recorded_from, each.recorded_to, each.closed_by, each.stated_confidence,
      each.read_by, each.span_start, each.span_end, each.expires_at)
    on conflict (fact_id) do update set contact_id = excluded.contact_id,
      category = excluded.category, key = excluded.key, value = excluded.value,
      confidence = excluded.confidence, importance = excluded.importance,
      source_uid = excluded.source_uid, anchor = excluded.anchor, status = excluded.status,
      valid_from = excluded.valid_from, valid_to = excluded.valid_to,
      recorded_from = excluded.recorded_from, recorded_to = excluded.recorded_to,
      closed_by = excluded.closed_by, stated_confidence = excluded.stated_confidence,
      read_by = excluded.read_by, span_start = excluded.span_start, span_end = excluded.span_end,
      expires_at = excluded.expires_at
    where facts.tenant = excluded.tenant;
  end loop;
  update facts f set confidence = c.confidence, status = c.status, valid_to = c.valid_to,
    recorded_to = c.recorded_to, closed_by = c.closed_by, stated_confidence = c.stated_confidence,
    read_by = c.read_by, span_start = c.span_start, span_end = c.span_end
  from jsonb_populate_recordset(null::facts, changed) c
  where f.tenant = whose and f.fact_id = c.fact_id;
end $$;
