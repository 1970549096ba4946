-- Ends a turn, once: its replies, what is to be sent, and the receipt with what was missing and what was
-- used, all or nothing. False where it has ended before. A reply to what was changed after the turn
-- began is withheld from the start.
create or replace function end_turn(ended uuid, whose text, replies jsonb, parts jsonb, receipt jsonb)
returns boolean language plpgsql as $$
declare
  chat bigint;
  is_outdated boolean;
begin
  update turns set state = 'done', reason = '', ended_at = now()
  where turn_id = ended and tenant = whose and state <> 'done' returning session_id into chat;
  if not found then
    return false;
  end if;
  select exists (
    select from messages m join revisions r on r.uid = m.uid join turns t on t.turn_id = ended
    where m.turn_id = ended and m.tenant = whose and r.recorded_at > t.started_at
  ) into is_outdated;
  if replies is not null then
    perform record_messages(replies, true, null);
    update messages m set turn_id = ended, withheld = m.withheld or is_outdated
    where m.tenant = whose and m.uid in (
      select i.uid from jsonb_to_recordset(replies) as i(uid uuid));
  end if;
  insert into outbox
    (turn_id, part, session_id, tenant, channel, reply_uid, reply_to, body, fingerprint, status,
     created_at)
  select ended, p.part, chat, whose, s.channel, p.reply_uid, p.reply_to, p.body, p.fingerprint,
    'queued', p.created_at
  from jsonb_to_recordset(parts) as p(
    part integer, reply_uid uuid, reply_to text, body text, fingerprint text,
    created_at timestamptz)
  join sessions s on s.session_id = chat
  on conflict (turn_id, part) do nothing;
  insert into receipts
    (turn_id, session_id, tenant, reply_uid, query, recalled, nodes, model, created_at, missing, used)
  select ended, chat, whose, r.reply_uid, case when is_outdated then '' else r.query end, r.recalled,
    r.nodes, r.model, r.created_at, r.missing, r.used
  from jsonb_to_record(receipt) as r(
    reply_uid uuid, query text, recalled jsonb, nodes text[], model text, created_at timestamptz,
    missing text[], used jsonb)
  where receipt is not null
  on conflict (turn_id) do nothing;
  return true;
end $$;
