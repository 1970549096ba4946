-- How many answers used a message, and when the last of them did: counted from receipts, so that a
-- turn counts once however often it is counted. A row goes with its message.
create table uses (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  times integer not null check (times > 0),
  last_at timestamptz not null
);
create index uses_of on uses (tenant);

-- The messages among what an answer used (`receipts.used`), each once.
create function used_messages(used jsonb) returns uuid[] language sql immutable strict as $$
  select array_agg(distinct (line ->> 1)::uuid) from jsonb_array_elements(used -> 'lines') as line
  where line ->> 0 in ('message', 'quote', 'window')
    and line ->> 1 ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
create index receipts_by_used on receipts using gin (used_messages(used));

-- Counted behind the turn, which waits for none of it.
create function owe_uses() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['uses'], array_agg(distinct uid::text), interval '1 second')
  from receipts_now, unnest(used_messages(used)) as uid group by tenant order by tenant;
  return null;
end $$;
create trigger owe_filed_uses after insert on receipts
referencing new table as receipts_now for each statement execute function owe_uses();
create trigger owe_dropped_uses after delete on receipts
referencing old table as receipts_now for each statement execute function owe_uses();

-- What is withheld, or says something else now, is counted anew, as its vectors are made anew.
do $$ begin
  execute replace(pg_get_functiondef('owe_changed()'::regprocedure),
    'array[''vectors'', ''tokens'', ''facts'']', 'array[''vectors'', ''tokens'', ''facts'', ''uses'']');
end $$;

insert into projections (name, generation, state) values ('uses', 1, 'serving');
-- What was used before is counted once.
select owe(tenant, array['uses'], array_agg(distinct uid::text), interval '0')
from receipts, unnest(used_messages(used)) as uid group by tenant order by tenant;
