-- Who read a fact, in which version, and where its value stands in the message's text: characters from
-- `span_start` up to `span_end`. Empty in rows that were stored before, until facts are read again.
alter table facts
  add column read_by text not null default '',
  add column span_start integer,
  add column span_end integer,
  add constraint facts_span check (
    (span_start is null) = (span_end is null) and span_start >= 0 and span_start <= span_end);
