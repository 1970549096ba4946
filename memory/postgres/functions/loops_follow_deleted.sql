-- Run by the trigger owe_deleted_loops, after messages were deleted: their chats are read again for what
-- is open.
create or replace function loops_follow_deleted() returns trigger language plpgsql as $$
declare
  which bigint[];
begin
  select array_agg(distinct session_id) into which from deleted;
  if which is not null then
    perform from open_loop_courses where session_id = any(which) order by session_id for update;
    update open_loop_courses set version = version + 1, stale = true where session_id = any(which);
    perform owe_open_loops(which, interval '0');
  end if;
  return null;
end $$;
