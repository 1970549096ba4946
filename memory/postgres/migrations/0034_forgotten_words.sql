-- What a person took back goes from prompts and searches, and the rest of its message stays: `content`
-- is what is left, `said` what was said, of which the transcript and the facts that were not taken
-- back are. Null where nothing was taken back.
alter table messages add column said text;

-- What was answered about a message is about all that it said.
drop trigger forget_answer on messages;
create trigger forget_answer after update of content, said on messages for each row
when (coalesce(old.said, old.content) is distinct from coalesce(new.said, new.content))
execute function forget_answer();

-- What of what was shown an answer used, and how many lines it was shown beside; null where nobody
-- looked.
alter table receipts add column used jsonb;
do $$ begin
  execute replace(replace(replace(
    pg_get_functiondef('end_turn(uuid, text, jsonb, jsonb, jsonb)'::regprocedure),
    'created_at, missing)', 'created_at, missing, used)'),
    'r.missing', 'r.missing, r.used'),
    'missing text[])', 'missing text[], used jsonb)');
end $$;
