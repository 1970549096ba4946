-- The salted digest under which something erased is known.
create or replace function salted(what text) returns bytea language sql stable as
$$ select sha256(salt || convert_to(what, 'UTF8')) from tombstone_salt $$;
