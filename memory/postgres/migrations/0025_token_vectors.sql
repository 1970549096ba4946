-- The vectors of a message's word pieces, for late interaction: made of its text, they go with it.
-- `space` names what made them; `changes` is that of the message they were made of.
create table token_vectors (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  space text not null,
  changes integer not null,
  vectors bytea not null
);
-- Small numbers in any direction do not compress.
alter table token_vectors alter column vectors set storage external;
create index token_vectors_of on token_vectors (tenant);

insert into projections (name, generation, state) values ('tokens', 1, 'serving');

create or replace function owe_recorded() returns trigger language plpgsql as $$
begin
  perform owe(tenant, array['vectors', 'tokens', 'facts'], array_agg(uid::text), interval '5 seconds')
  from recorded where author = 'contact' and not pending and not withheld group by tenant;
  return null;
end $$;

create or replace function owe_changed() returns trigger language plpgsql as $$
begin
  perform owe(n.tenant, array['vectors', 'tokens', 'facts'], array_agg(n.uid::text), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.content, n.withheld) is distinct from (o.content, o.withheld)
  group by n.tenant;
  perform owe(n.tenant, array['vectors'],
    array_agg('anchor:' || n.anchor) || array_agg('anchor:' || o.anchor), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and n.anchor <> o.anchor group by n.tenant;
  perform owe(n.tenant, array['facts'],
    array_agg('contact:' || n.contact_id) || array_agg('contact:' || o.contact_id), interval '0')
  from after_change n join before_change o using (seq)
  where n.author = 'contact' and (n.contact_id, n.anchor) is distinct from (o.contact_id, o.anchor)
  group by n.tenant;
  return null;
end $$;

create or replace function owe_turn() returns trigger language plpgsql as $$
declare
  said text[];
begin
  select array_agg(uid::text) into said from messages
  where turn_id = new.turn_id and author = 'contact' and not withheld;
  perform owe(new.tenant, array['vectors', 'tokens'], said, interval '0');
  perform owe(new.tenant, array['facts'], said, interval '5 seconds');
  return null;
end $$;

-- What was said before gets them in the background.
select owe(tenant, array['tokens'], array_agg(uid::text), interval '0')
from messages where author = 'contact' and not withheld and not pending and content <> ''
group by tenant;

-- The words of what the agent said are kept, too: what was answered is found beside what was asked.
-- Search itself reads what contacts said alone. One word of the function changes.
do $$ begin
  execute replace(
    pg_get_functiondef('record_messages(jsonb, boolean, timestamptz)'::regprocedure),
    'author = ''contact'' and not withheld', 'author in (''contact'', ''agent'') and not withheld');
end $$;
update messages set searchable = to_tsvector('english', left(content, 65536)),
  terms = coalesce(count_terms(to_tsvector('english', left(content, 65536))), 0)
where author = 'agent' and not withheld;
