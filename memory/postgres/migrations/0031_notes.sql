-- What people wrote by hand for the agent to know: lines of the ledger, withheld from searches and
-- lessons, that prompts may show where they fit. They are derived of nothing, so that no rebuild
-- touches them, and go with their line. Whom a note is about follows from its kind, where it may
-- surface from its line's anchor.
create table notes (
  uid uuid primary key references messages (uid) on delete cascade,
  tenant text not null,
  kind text not null check (kind in ('episodic', 'semantic', 'procedural', 'reflective')),
  forgotten_at timestamptz
);
create index notes_of_tenant on notes (tenant) where forgotten_at is null;

-- When what a fact says ends by what was said with it ("until Friday"). Until then it is active;
-- `valid_to` may be earlier, where something else ended it.
alter table facts add column expires_at timestamptz;
