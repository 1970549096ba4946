-- Histories taken in from exported files, and how far each has come. `position`: entries of the
-- file that are recorded and indexed. `reached`: entries that may be recorded, but not indexed yet.
-- `known`: messages that the chats had before.
create table imports (
  import_id bigint generated always as identity primary key,
  tenant text not null,
  digest text not null,
  kind text not null,
  file_name text not null,
  reading text not null,
  contact_id text not null,
  speaker text not null,
  anchors text[] not null,
  threads uuid[] not null,
  total bigint not null,
  position bigint not null default 0,
  reached bigint not null default 0,
  known bigint not null default 0,
  facts bigint not null default 0,
  began_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (tenant, digest)
);

-- What else a contact may be reminded of when alone with the agent: chats that the contact was in.
create table audiences (
  tenant text not null,
  contact_id text not null,
  anchor text not null,
  primary key (tenant, contact_id, anchor)
);
