-- The backlog is empty most of the time and a queue all of it. Vacuumed often, it stays small; its
-- pages are kept, for a plan that was made while there were none would go on reading the whole table.
alter table backlog set (
  vacuum_truncate = off, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);
