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

-- What owes vectors of what was said owes these, too; those of whole anchors go with their messages.
do $$ begin
  execute replace(pg_get_functiondef('owe_recorded()'::regprocedure),
    'array[''vectors'', ''facts'']', 'array[''vectors'', ''tokens'', ''facts'']');
  execute replace(pg_get_functiondef('owe_changed()'::regprocedure),
    'array[''vectors'', ''facts'']', 'array[''vectors'', ''tokens'', ''facts'']');
  execute replace(pg_get_functiondef('owe_turn()'::regprocedure),
    'array[''vectors'']', 'array[''vectors'', ''tokens'']');
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
