-- Run by the trigger outbox_account, before a reply is stored to be sent: its account is its chat's.
create or replace function name_account() returns trigger language plpgsql as $$
begin
  select s.account into new.account from sessions s where s.session_id = new.session_id;
  return new;
end $$;
