-- Policies as layers, every change a version of its own; the newest of a scope counts.
create table policies (
  tenant text not null,
  scope text not null,
  version integer not null check (version > 0),
  rules jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (tenant, scope, version)
);

-- When the agent keeps out of a chat. One row for each message that caused it, so that the same
-- message again prolongs nothing; without an end until somebody resumes.
create table pauses (
  tenant text not null,
  source text not null,
  scope text not null,
  kind text not null check (kind in ('takeover', 'command')),
  began_at timestamptz not null,
  ends_at timestamptz,
  primary key (tenant, source)
);
create index pauses_of_chat on pauses (tenant, scope, ends_at);

-- What checks, the gate and commands decided; never a text of anybody.
create table audit (
  audit_id bigint primary key generated always as identity,
  tenant text not null,
  thread_id uuid,
  turn_id text not null,
  kind text not null,
  outcome text not null,
  detail text not null,
  at timestamptz not null
);
create unique index audit_once on audit (turn_id, kind, outcome, detail) where turn_id <> '';
create index audit_newest on audit (tenant, audit_id desc);
