-- Which stored functions were applied from their files, and as what (`memory/postgres/stored_functions.py`).
-- That there is such a migration keeps versions away that know of no such files.
create table schema_functions (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
);
