-- Stores messages, each once, and returns them in order of `place`. The upsert locks the chats' rows,
-- so that positions within a chat are handed out one at a time; it stands before the insert, which
-- has to see what others inserted meanwhile. What was erased is looked for once more after it: what was
-- erased while the chat's row was waited for leaves no chat behind. The words of what the agent said are
-- kept, too: what was answered is found beside what was asked.
create or replace function record_messages(input jsonb, is_history boolean, arrived_at timestamptz)
returns table (uid uuid, seq bigint, is_new boolean, is_waited_for boolean) language plpgsql as $$
#variable_conflict use_column
declare
  fresh uuid[];
  wanted jsonb;
begin
  input := not_erased(input);
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
  wanted := input;
  input := not_erased(input);
  if jsonb_array_length(input) < jsonb_array_length(wanted) then
    delete from sessions s using jsonb_array_elements(wanted) i
    where s.thread_id = (i ->> 'thread_id')::uuid
      and not exists (select from messages m where m.session_id = s.session_id)
      and not exists (select from jsonb_array_elements(input) kept
        where kept ->> 'thread_id' = i ->> 'thread_id');
  end if;

  with given as (
    select i.*, s.session_id,
      (select coalesce(max(l.position), 0) from messages l where l.session_id = s.session_id)
        + row_number() over (partition by s.session_id order by i.place) as position
    from jsonb_to_recordset(input) as i(
      place integer, uid uuid, thread_id uuid, tenant text, message_id text, author text,
      actor_id text, actor_name text, contact_id text, anchor text, content text,
      created_at timestamptz, from_me boolean, mentions_agent boolean, replies_to_agent boolean,
      forwarded boolean, is_owner boolean, is_command boolean, withheld boolean,
      awaits_turn boolean, quote jsonb, indexed text, teaches boolean)
    join sessions s on s.thread_id = i.thread_id
    where not exists (select from messages known where known.uid = i.uid)
  ), vectors as (
    select given.*, case when author in ('contact', 'agent') and not withheld
      then to_tsvector('english', indexed) end as searchable
    from given
  ), inserted as (
    insert into messages
      (uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id,
       anchor, content, created_at, recorded_at, from_me, mentions_agent, replies_to_agent,
       forwarded, is_owner, is_command, withheld, quote, pending, searchable, terms, teaches)
    select uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id,
      anchor, content, created_at, coalesce(record_messages.arrived_at, now()), from_me,
      mentions_agent, replies_to_agent, forwarded, is_owner, is_command, withheld,
      nullif(quote, 'null'::jsonb), awaits_turn and not is_history, searchable,
      coalesce(count_terms(searchable), 0), coalesce(teaches, true)
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
