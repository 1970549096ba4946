-- What commands took back of what is known of whoever gave them. No message tells it again, so that
-- a fact store that is lost, or made anew, forgets it again by these.
create table retractions (
  place bigint generated always as identity primary key,
  uid uuid not null references messages (uid) on delete cascade,
  tenant text not null,
  source_uid text not null,
  category text not null,
  key text not null,
  value text not null,
  importance double precision not null,
  stated_at timestamptz not null
);
create unique index retractions_by_source on retractions (uid, source_uid, key, md5(value));

-- A row that was closed before ends were recorded may have been forgotten, too.
insert into retractions
  (uid, tenant, source_uid, category, key, value, importance, stated_at)
select m.uid, m.tenant,
  case f.status when 'retraction' then f.source_uid else f.source_uid || '/ended' end,
  f.category, f.key, f.value, f.importance,
  case f.status when 'retraction' then f.valid_from else f.valid_to end
from facts f join messages m on m.tenant = f.tenant and m.uid::text = split_part(f.source_uid, '/', 1)
where (f.status = 'retraction' and f.source_uid like '%/command')
  or (f.status = 'closed' and f.closed_by is null and f.valid_to is not null)
order by f.place
on conflict do nothing;

-- Vectors tell of which version of their message they are, where it was changed.
select owe(tenant, array['vectors'], array_agg(uid::text), interval '0')
from messages where author = 'contact' and changes > 0 group by tenant;

-- Vectors of facts that ended were left in the index once.
select owe(tenant, array['fact_vectors'], array_agg(distinct 'contact:' || contact_id), interval '0')
from facts where status <> 'active' group by tenant;

-- Whether a generation that is being built is owed all that there was when it began.
alter table projections add column is_enrolled boolean not null default true;
