-- What people corrected: not only what they took back, but what they stated in its place, too.
alter table retractions rename to corrections;
alter index retractions_by_source rename to corrections_by_source;
alter table corrections add column retracts boolean not null default true;
