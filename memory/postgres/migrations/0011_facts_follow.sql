-- Every statement and retraction is kept, so that facts follow from them in any order of arrival.
-- `closed_by` stays empty where it was not recorded what ended a fact: such an end is final.
alter table facts
  add column closed_by text,
  add column stated_confidence double precision check (stated_confidence between 0 and 1),
  drop constraint facts_status_check,
  drop constraint facts_check,
  add constraint facts_status_check check (
    status in ('active', 'closed', 'rejected', 'repeated', 'withdrawn', 'retraction')),
  add constraint facts_check check (
    status = 'retraction' or (status = 'active') = (recorded_to is null));
drop index facts_by_source;
