-- How many words a text vector has, each as often as it stands there: a message's length for BM25.
create or replace function count_terms(vector tsvector) returns integer language sql immutable strict as
$$ select coalesce(sum(cardinality(positions)), 0)::integer from unnest(vector) $$;
