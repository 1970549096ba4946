-- Run by the trigger owe_deleted_episodes, after messages were deleted: their chats' episodes are made
-- of what is left.
create or replace function episodes_follow_deleted() returns trigger language plpgsql as $$
declare
  which bigint[]; moments timestamptz[];
begin
  select array_agg(session_id), array_agg(created_at) into which, moments from deleted;
  if which is not null then
    perform note_unsaid(which, moments);
    perform owe_episodes(which, interval '0');
  end if;
  return null;
end $$;
