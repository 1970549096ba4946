-- Who is sending a delivery: the name of an advisory lock that its process holds while it lives.
alter table outbox add column owner text not null default '';
