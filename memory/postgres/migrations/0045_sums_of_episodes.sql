-- The sum of the vectors of an episode's messages, whole numbers of four bytes; null where it was kept
-- before this column was. It goes in the same transaction as what was said otherwise, or not at all.
alter table episodes add column vector_sum bytea;

do $$ begin
  execute replace(pg_get_functiondef('note_unsaid(bigint[], timestamptz[])'::regprocedure),
    'digest = ''''', 'digest = '''', vector_sum = null');
end $$;
