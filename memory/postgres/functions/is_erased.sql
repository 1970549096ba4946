-- Whether what is named so was erased: a tombstone holds a salted digest of the name.
create or replace function is_erased(whose text, what text) returns boolean language sql stable as $$
  select exists (
    select from tombstones t where t.tenant = whose and t.digest = salted(what)
      and (t.expires_at is null or t.expires_at > now()))
$$;
