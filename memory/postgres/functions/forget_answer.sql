-- Run by the trigger forget_answer, after a message's words changed: what was answered about words that
-- are no longer there goes with them.
create or replace function forget_answer() returns trigger language plpgsql as $$
begin
  delete from answers where uid = new.uid and tenant = new.tenant;
  return null;
end $$;
