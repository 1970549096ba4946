-- Decided once, when a message comes in: whether it is a command, and whether it is withheld, which
-- is out of every prompt, search and lesson for good: commands and their replies, what blocked
-- people say, and replies to what was edited or deleted since.
alter table messages add column is_command boolean not null default false;
alter table messages add column withheld boolean not null default false;

update messages set withheld = true
where (author = 'contact' and searchable is null and revoked_at is null)
  or (author = 'agent' and message_id like 'command-%');
update messages set is_command = true
where (author = 'owner' or is_owner)
  and content ~* '^\s*/(policy|pause|resume|reset|why|forget|facts|help|start)(@\w+)?(\s|$)';
update messages set withheld = true where is_command;
-- Only commands of the owner's wait for a turn; what merely began with a slash did, too.
update messages set pending = false where pending and author = 'owner' and not is_command;

-- By which message a pause was ended and a policy changed: the same message again finds its own work.
alter table pauses add column ended_by text not null default '';
alter table policies add column source text not null default '';
create index policies_by_source on policies (tenant, source) where source <> '';

-- Stores messages, each once, and returns them in order of `place`. The upsert locks the chats' rows,
-- so that positions within a chat are handed out one at a time; it stands before the insert, which
-- has to see what others inserted meanwhile.
create function record_messages(input jsonb, is_history boolean, arrived_at timestamptz)
returns table (uid uuid, seq bigint, is_new boolean, is_waited_for boolean) language plpgsql as $$
#variable_conflict use_column
declare
  fresh uuid[];
begin
  insert into sessions as s
    (thread_id, tenant, channel, account, chat_id, topic, contact_id, is_group, started_at)
  select (array_agg(i.thread_id))[1], i.tenant, i.channel, i.account, i.chat_id, i.topic,
    (array_agg(case when i.is_group then '' else i.contact_id end))[1], bool_or(i.is_group),
    min(i.created_at)
  from jsonb_to_recordset(input) as i(
    thread_id uuid, tenant text, channel text, account text, chat_id text, topic text,
    contact_id text, is_group boolean, created_at timestamptz)
  group by i.tenant, i.channel, i.account, i.chat_id, i.topic
  order by 1
  on conflict (thread_id) do update set is_group = s.is_group;

  with given as (
    select i.*, s.session_id,
      (select coalesce(max(l.position), 0) from messages l where l.session_id = s.session_id)
        + row_number() over (partition by s.session_id order by i.place) as position
    from jsonb_to_recordset(input) as i(
      place integer, uid uuid, thread_id uuid, tenant text, message_id text, author text,
      actor_id text, actor_name text, contact_id text, anchor text, content text,
      created_at timestamptz, from_me boolean, mentions_agent boolean, replies_to_agent boolean,
      forwarded boolean, is_owner boolean, is_command boolean, withheld boolean,
      awaits_turn boolean, quote jsonb, indexed text)
    join sessions s on s.thread_id = i.thread_id
    where not exists (select from messages known where known.uid = i.uid)
  ), vectors as (
    select given.*, case when author = 'contact' and not withheld
      then to_tsvector('english', indexed) end as searchable
    from given
  ), inserted as (
    insert into messages
      (uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id,
       anchor, content, created_at, recorded_at, from_me, mentions_agent, replies_to_agent,
       forwarded, is_owner, is_command, withheld, quote, pending, searchable, terms)
    select uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id,
      anchor, content, created_at, coalesce(record_messages.arrived_at, now()), from_me,
      mentions_agent, replies_to_agent, forwarded, is_owner, is_command, withheld,
      nullif(quote, 'null'::jsonb), awaits_turn and not is_history, searchable,
      coalesce(count_terms(searchable), 0)
    from vectors order by place
    on conflict do nothing
    returning uid
  )
  select coalesce(array_agg(inserted.uid), '{}') into fresh from inserted;

  -- What quotes a changed message quotes what it says now.
  if input @? '$[*].quote ? (@ != null)' then
    update messages m set quote = jsonb_set(m.quote, '{text}', to_jsonb(q.content))
    from messages q
    where m.uid = any(fresh) and m.quote is not null and q.session_id = m.session_id
      and q.message_id = m.quote->>'message_id' and q.changes > 0;
  end if;

  return query
  select m.uid, m.seq, m.uid = any(fresh), m.uid = any(fresh) and exists (
    select from waiting_changes w where w.uid = m.uid)
  from jsonb_to_recordset(input) as i(place integer, uid uuid) join messages m on m.uid = i.uid
  order by i.place;
end $$;

-- Ends a turn, once: its replies, what is to be sent, and the receipt, all or nothing. A reply to what
-- was changed after the turn began is withheld from the start.
create function end_turn(ended uuid, whose text, replies jsonb, parts jsonb, receipt jsonb)
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
    (turn_id, session_id, tenant, reply_uid, query, recalled, nodes, model, created_at)
  select ended, chat, whose, r.reply_uid, case when is_outdated then '' else r.query end, r.recalled,
    r.nodes, r.model, r.created_at
  from jsonb_to_record(receipt) as r(
    reply_uid uuid, query text, recalled jsonb, nodes text[], model text, created_at timestamptz)
  where receipt is not null
  on conflict (turn_id) do nothing;
  return true;
end $$;
