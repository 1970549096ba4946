-- What was erased does not come back: a webhook, an edit, a reaction, an echo or an export that names it
-- is known by a salted digest of what it was called, and by nothing else. `expires_at`: an echo that is
-- known by its words alone.
create table tombstone_salt (
  is_only boolean primary key default true check (is_only),
  salt bytea not null
);
insert into tombstone_salt (salt)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

create table tombstones (
  tenant text not null,
  digest bytea not null,
  expires_at timestamptz,
  primary key (tenant, digest)
);
create index tombstones_expiring on tombstones (expires_at) where expires_at is not null;

create function salted(what text) returns bytea language sql stable as
$$ select sha256(salt || convert_to(what, 'UTF8')) from tombstone_salt $$;

create function is_erased(whose text, what text) returns boolean language sql stable as $$
  select exists (
    select from tombstones t where t.tenant = whose and t.digest = salted(what)
      and (t.expires_at is null or t.expires_at > now()))
$$;

-- Messages as `record_messages` takes them, without those that were erased, or are about one that was;
-- what quotes one loses its quote. It looks anew with each call.
create function not_erased(input jsonb) returns jsonb language plpgsql as $$
begin
  if not exists (select from tombstones) then
    return input;
  end if;
  return (
    select coalesce(jsonb_agg(case when is_erased(i ->> 'tenant', i ->> 'quoted_uid')
      then i || '{"quote": null}' else i end), '[]')
    from jsonb_array_elements(input) i
    where not is_erased(i ->> 'tenant', i ->> 'uid')
      and not is_erased(i ->> 'tenant', i ->> 'about_uid'));
end $$;

-- The second time for what was erased while the chat's row was waited for: it leaves no chat behind.
do $$ begin
  execute replace(replace(replace(
    pg_get_functiondef('record_messages(jsonb, boolean, timestamptz)'::regprocedure),
    'fresh uuid[];', 'fresh uuid[];
  wanted jsonb;'),
    'begin
  insert into sessions as s', 'begin
  input := not_erased(input);
  insert into sessions as s'),
    'do update set is_group = s.is_group;', 'do update set is_group = s.is_group;
  wanted := input;
  input := not_erased(input);
  if jsonb_array_length(input) < jsonb_array_length(wanted) then
    delete from sessions s using jsonb_array_elements(wanted) i
    where s.thread_id = (i ->> ''thread_id'')::uuid
      and not exists (select from messages m where m.session_id = s.session_id)
      and not exists (select from jsonb_array_elements(input) kept
        where kept ->> ''thread_id'' = i ->> ''thread_id'');
  end if;');
end $$;

-- What was erased, in figures: whom it was about is a salted digest. `owed`: places of the
-- backlog that have to be worked off for it; `traces`: what was found of it afterwards, by place.
create table erasures (
  erasure_id uuid primary key default gen_random_uuid(),
  tenant text not null,
  contact bytea not null,
  asked_by text not null,
  erased_at timestamptz not null default now(),
  counts jsonb not null,
  owed bigint[] not null,
  probed_at timestamptz,
  places integer not null default 0,
  traces jsonb not null default '{}'
);
create index erasures_of_tenant on erasures (tenant, erased_at desc);
