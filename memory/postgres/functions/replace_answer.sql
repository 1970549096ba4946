-- Puts an answer that was given again in the place of the one before it, once: the line of the ledger
-- stays and says the new words, what it said is a revision, and what it answers, the line and the
-- receipt are the new turn's. All or nothing. False, with the turn ended, where the answer of the turn
-- `replaced` is no longer there.
create or replace function replace_answer(
  ended uuid, whose text, replaced uuid, answer jsonb, receipt jsonb
) returns boolean language plpgsql as $$
declare
  line messages;
  is_outdated boolean;
begin
  perform from turns where turn_id = ended and tenant = whose and state <> 'done' for update;
  if not found then
    return false;
  end if;
  -- In the order of an edit, which locks what was said and then the answer to it.
  perform from messages where turn_id = replaced and tenant = whose order by seq for update;
  select * into line from messages m
  where m.uid = (answer ->> 'uid')::uuid and m.tenant = whose and m.turn_id = replaced
    and m.author = 'agent' and m.revoked_at is null;
  if not found then
    perform end_turn(ended, whose, null, '[]', null);
    return false;
  end if;
  select exists (
    select from messages m join revisions r on r.uid = m.uid join turns t on t.turn_id = ended
    where m.turn_id = replaced and m.tenant = whose and m.author <> 'agent'
      and r.recorded_at > t.started_at
  ) into is_outdated;
  delete from receipts where turn_id = replaced and tenant = whose;
  -- Before its messages come to the turn: what they tell was learned when they were answered first.
  perform end_turn(ended, whose, null, '[]',
    case when is_outdated then receipt || '{"query": ""}' else receipt end);
  update messages set turn_id = ended where turn_id = replaced and tenant = whose;
  insert into revisions (uid, number, tenant, kind, action_id, target_id, text_before, changed_at)
  select line.uid, coalesce(max(r.number), 0) + 1, whose, 'edit', ended::text, line.message_id,
    coalesce(line.said, line.content), now()
  from revisions r where r.uid = line.uid having line.content <> answer ->> 'content';
  -- Why the words before were kept out says nothing of these.
  delete from kept_out where uid = line.uid and tenant = whose;
  update messages m set content = answer ->> 'content', said = null,
    withheld = (answer ->> 'withheld')::boolean or is_outdated or exists (
      select from messages asked where asked.turn_id = ended and asked.tenant = whose
        and asked.author = 'contact' and asked.withheld and not asked.is_command),
    edited_at = case when line.content <> answer ->> 'content' then now() else m.edited_at end,
    changes = m.changes + (line.content <> answer ->> 'content')::integer
  where m.uid = line.uid and m.tenant = whose;
  update messages set quote = jsonb_set(quote, '{text}', answer -> 'content')
  where session_id = line.session_id and tenant = whose and quote ->> 'message_id' = line.message_id;
  return true;
end $$;
