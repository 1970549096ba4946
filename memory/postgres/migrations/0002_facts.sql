-- Facts with history, valid in the world and recorded in the store. Rows are closed, never deleted,
-- except when a contact is forgotten.
create table facts (
  fact_id uuid primary key,
  place bigint generated always as identity,
  tenant text not null,
  contact_id text not null,
  category text not null check (category in ('identity', 'preference', 'constraint', 'instruction')),
  key text not null,
  value text not null,
  confidence double precision not null check (confidence between 0 and 1),
  importance double precision not null check (importance between 0 and 1),
  source_uid text not null,
  anchor text not null,
  status text not null check (status in ('active', 'closed', 'rejected')),
  valid_from timestamptz not null,
  valid_to timestamptz,
  recorded_from timestamptz not null,
  recorded_to timestamptz,
  check ((status = 'active') = (recorded_to is null))
);
create index facts_active on facts (tenant, contact_id) where status = 'active';
create index facts_by_key on facts (tenant, contact_id, key);
create index facts_by_source on facts (source_uid);
