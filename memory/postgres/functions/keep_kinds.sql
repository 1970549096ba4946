-- Lets messages tell of what is told by their uids, {key: chance in 0..1} each, and of nothing else.
create or replace function keep_kinds(whose text, told jsonb) returns void language sql as $$
  delete from kinds where tenant = whose
    and uid in (select given.key::uuid from jsonb_each(told) given where given.value = '{}');
  insert into kinds (uid, tenant, keys, chances)
  select m.uid, m.tenant, each.keys, each.chances
  from jsonb_each(told) given
  cross join lateral (
    select array_agg(key order by key) as keys,
      array_agg(round(value::numeric * 100)::smallint order by key) as chances
    from jsonb_each_text(given.value)
  ) each
  join messages m on m.uid = given.key::uuid and m.tenant = whose
  where given.value <> '{}'
  order by m.uid for key share of m
  on conflict (uid) do update set keys = excluded.keys, chances = excluded.chances;
$$;
