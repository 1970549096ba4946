-- A reply of unknown fate, or one that its channel refused, can be dismissed by whoever looked at it. Its
-- text goes like that of a reply that was sent.
alter table outbox drop constraint outbox_status_check;
alter table outbox add check (
  status in ('queued', 'sending', 'sent', 'unknown', 'failed', 'expired', 'dismissed'));
drop index outbox_settled;
create index outbox_settled on outbox (settled_at) where status in ('sent', 'expired', 'dismissed');
drop index outbox_with_text;
create index outbox_with_text on outbox (tenant, settled_at)
  where status in ('sent', 'expired', 'dismissed', 'unknown', 'failed') and body <> '';
