-- What the owner marked of what is known: pinned (in every prompt of the contact's turns), or withheld
-- (kept, and shown to nobody but the owner). By key and value, so that reading anew keeps it; with the
-- line of the ledger that did it, whose contact it is about.
create table fact_marks (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  act text not null,
  kind text not null check (kind in ('pinned', 'withheld')),
  key text not null,
  value text not null,
  since timestamptz not null,
  ended_at timestamptz
);
create index fact_marks_of_tenant on fact_marks (tenant) where ended_at is null;
