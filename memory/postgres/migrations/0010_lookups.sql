-- Which messages hold a lexeme. Without a list of pending entries: every search would read it.
create index messages_of_lexeme on messages using gin (tsvector_to_array(searchable))
  with (fastupdate = off) where author = 'contact';

create index sessions_of_contact on sessions (tenant, contact_id);

-- Deliveries by status, what waits by due time, and texts that are to be dropped.
create index outbox_of_status on outbox (tenant, status, delivery_id);
drop index outbox_open;
create index outbox_queued on outbox (tenant, channel, due_at) where status = 'queued';
create index outbox_with_text on outbox (tenant, settled_at)
  where status in ('sent', 'expired') and body <> '';
