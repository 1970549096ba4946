-- What kinds of thing a message tells of, for search to weigh: read with the facts, they go with the
-- message. `chances` are per cent, one for each of `keys`.
create table kinds (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  keys text[] not null,
  chances smallint[] not null,
  check (cardinality(keys) = cardinality(chances) and cardinality(keys) > 0)
);

-- What was said before is read once more.
select owe(tenant, array['facts'], array_agg(distinct 'contact:' || contact_id), interval '0')
from messages where author = 'contact' group by tenant;
