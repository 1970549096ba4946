-- Lets messages claim what is told by their uids, [holder, key, value, confidence, has_ended] each, and
-- nothing else, by one transaction at a time. Entities of whoever told it are owed.
create or replace function keep_claims(whose text, told jsonb) returns void language plpgsql as $$
declare
  said record;
begin
  perform pg_advisory_xact_lock(hashtextextended('claims' || chr(31) || whose, 0));
  for said in
    select m.uid, m.contact_id, t.value as claims
    from jsonb_each(told) t join messages m on m.uid = t.key::uuid and m.tenant = whose
    cross join lateral (
      select min(c.contact_id) as contact_id, coalesce(jsonb_agg(jsonb_build_array(
        c.holder, c.key, c.value, c.confidence, c.has_ended) order by c.place), '[]') as claims
      from third_party_claims c where c.uid = m.uid
    ) held
    where t.value <> held.claims or m.contact_id <> held.contact_id
  loop
    delete from third_party_claims where uid = said.uid;
    insert into third_party_claims
      (uid, place, tenant, contact_id, holder, key, value, confidence, has_ended)
    select said.uid, place, whose, said.contact_id, claim ->> 0, claim ->> 1, claim ->> 2,
      (claim ->> 3)::float8, (claim ->> 4)::boolean
    from jsonb_array_elements(said.claims) with ordinality as each (claim, place);
  end loop;
  perform owe(whose, array['entities'], array_agg(distinct 'contact:' || m.contact_id), interval '0')
  from jsonb_object_keys(told) as given (item)
  join messages m on m.uid = given.item::uuid and m.tenant = whose
  having count(*) > 0;
end $$;
