-- One schema holds the events of one account. `:schema` stands for its quoted name.

-- A share of the stored events. One tracker at a time owns it: until its time has passed, no other may send or delete its events.
create table :schema.slot (
  id bigint generated always as identity primary key,
  -- The number of a slot of the outbox; null for a slot of parcels, which a journal makes.
  outbox smallint unique check (outbox between 0 and 15),
  -- What is in a slot of parcels: null for events to be sent, 'dead-letters' for what the service refused.
  part text,
  -- Null if nobody owns it: it may be taken at once.
  owner uuid,
  -- Raised by each new owner. A delete names it, so that an owner whose time has passed deletes nothing.
  epoch bigint not null default 0,
  until timestamptz not null default '-infinity',
  -- The highest number of a deleted parcel of which an insert may still come, late or repeated. Each insert compares its numbers with it.
  released bigint not null default 0
)
-- Its rows are updated all the time. The free space lets PostgreSQL keep the new version of a row on the same page.
with (fillfactor = 50);

insert into :schema.slot (outbox) select generate_series(0, 15);

-- Consecutive events of a journal, as the body of a request.
create table :schema.parcel (
  slot bigint not null references :schema.slot,
  -- The number of its first event in the slot. The tracker that writes the slot counts, so an insert can be repeated.
  seq bigint not null,
  events integer not null check (events > 0),
  -- When the oldest of its events was accepted.
  at timestamptz not null,
  -- Events that were released while others of the parcel wait, by their numbers in the slot. Rare.
  gone int8multirange not null default '{}',
  gzipped boolean not null,
  body bytea not null,
  primary key (slot, seq)
);
-- Bodies come compressed, or are to stay as they are.
alter table :schema.parcel alter column body set storage external;

-- One event, inserted in the transaction of the application.
create table :schema.outbox (
  -- The hash of the customer, modulo 16: the events of one customer are in one slot.
  slot smallint not null check (slot between 0 and 15),
  -- Without a cache, so that the events of one connection after another keep their order.
  seq bigint generated always as identity (cache 1),
  -- The event, as the JSON text that the service gets.
  body text not null,
  primary key (slot, seq)
);
