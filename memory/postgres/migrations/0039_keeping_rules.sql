-- What is never kept, by tenant: a kind of fact, a word or phrase, or credentials; of everybody (an empty
-- contact) or of one contact. A tenant without a row of credentials has that rule.
create table keeping_rules (
  rule_id bigint primary key generated always as identity,
  tenant text not null,
  kind text not null check (kind in ('facts', 'words', 'credentials')),
  what text not null,
  contact_id text not null default '',
  since timestamptz not null,
  ended_at timestamptz
);
create index keeping_rules_of_tenant on keeping_rules (tenant);

-- Which rule kept which message out, or facts of it: by the rule's number, 0 for the credentials that
-- nobody wrote a rule for. Never what it kept out.
create table kept_out_by_rule (
  uid uuid not null references messages (uid) on delete cascade,
  tenant text not null,
  rule_id bigint not null,
  primary key (uid, rule_id)
);
