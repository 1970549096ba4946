-- What messages say of others: claims of who wrote them, erased with the message. When it is said,
-- and where, is in the message.
create table third_party_claims (
  uid uuid not null references messages (uid) on delete cascade,
  place integer not null,
  tenant text not null,
  contact_id text not null,
  holder text not null,
  key text not null,
  value text not null,
  confidence double precision not null check (confidence between 0 and 1),
  has_ended boolean not null,
  primary key (uid, place)
);
create index third_party_claims_of on third_party_claims (tenant, contact_id);

-- People and things of contacts, made of facts and claims. `details`: names, ties, mentions, claims.
create table entities (
  tenant text not null,
  contact_id text not null,
  place integer not null,
  entity_id uuid not null,
  type text not null check (type in ('person', 'pet', 'place', 'organisation', 'thing')),
  name text not null,
  details jsonb not null,
  primary key (tenant, contact_id, place)
);

insert into projections (name, generation, state) values ('entities', 1, 'serving');
select owe(tenant, array['entities'], array_agg(distinct 'contact:' || contact_id), interval '0')
from messages where author = 'contact' group by tenant;
