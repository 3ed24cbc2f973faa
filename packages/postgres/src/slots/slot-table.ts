import { randomInt } from 'node:crypto';
import type { Database, Row } from '../database/database.ts';
import type { Tenure } from './tenure.ts';

/** A slot, and the epoch of its owner. */
export type Held = Pick<Tenure, 'slot' | 'epoch'>;

export interface SlotTableOptions {
  readonly database: Database;
  /** The id of this journal. */
  readonly owner: string;
  /** What its slots are for: undefined for events to be sent. Slots for something else are not taken. */
  readonly part: string | undefined;
  /** How long a slot stays with an owner who does not renew, in milliseconds. */
  readonly leaseMs: number;
}

/** Kinds of slots: of the outbox, and of journals. */
interface Kinds {
  readonly outbox: boolean;
  readonly parcels: boolean;
}

/**
 * An empty slot that nobody owned for so long is deleted. If its publisher lives on, it makes a new one. Longer than an append is
 * repeated: the slot knows what was released. And each look for slots reads all of them.
 */
const UNUSED = "interval '5 minutes'";

/** Below this, PostgreSQL counts: the slots of the outbox, and of what is damaged. */
const LEAST_ID = 2 ** 40;
/** `randomInt` takes no larger range. */
const MOST_ID = LEAST_ID + 2 ** 48 - 1;

/** How long a renewal may take, in milliseconds: what is left of the lease by then, but for a second. A standby may be slow. */
const RENEW_MS = 6_000;

/** The statements on the table of slots. All times are those of PostgreSQL's clock. */
export class SlotTable {
  readonly #database: Database;
  readonly #owner: string;
  readonly #part: string | undefined;
  readonly #leaseMs: number;

  constructor({ database, owner, part, leaseMs }: SlotTableOptions) {
    this.#database = database;
    this.#owner = owner;
    this.#part = part;
    this.#leaseMs = leaseMs;
  }

  /** Rejects if the table is not there. */
  async find(): Promise<void> {
    await this.#database.run({ what: 'find the tables', text: `select from ${this.#slot} limit 0` });
  }

  /**
   * Makes a slot. A failover that takes back the last commits takes back what PostgreSQL counts too: another journal would get the id
   * of one that goes on to write. So the id is random.
   *
   * @param isOwned Whether this journal sends from it. If not, a forwarder may take it at once.
   */
  async create(isOwned: boolean): Promise<Tenure> {
    const slot = randomInt(LEAST_ID, MOST_ID);
    await this.#database.run({
      what: 'make a slot',
      text: `insert into ${this.#slot} (id, owner, epoch, until, part) overriding system value
        values ($5, $1, $2, now() + $3 * interval '1 millisecond', $4)`,
      values: [...(isOwned ? [this.#owner, 1, this.#leaseMs] : [null, 0, 0]), this.#part, slot],
    });
    const epoch = isOwned ? 1 : undefined;
    return { slot, epoch, outbox: undefined, isOwn: true, isLost: false };
  }

  /** Takes slots that nobody owns any more and that have events, of these kinds. */
  async take(limit: number, kinds: Kinds): Promise<Tenure[]> {
    const { schema } = this.#database;
    const rows = await this.#database.run({
      what: 'take slots',
      text: `with free as (
          select id from ${this.#slot} as s where until <= now() and part is not distinct from $6 and case when outbox is null
            then $5 and exists (select from ${schema}.parcel as p where p.slot = s.id)
            else $4 and exists (select from ${schema}.outbox as o where o.slot = s.outbox) end
          order by until limit $3 for no key update skip locked)
        update ${this.#slot} as s set owner = $1, epoch = epoch + 1, until = now() + $2 * interval '1 millisecond'
          from free where s.id = free.id returning s.id as slot, s.epoch, s.outbox`,
      values: [this.#owner, this.#leaseMs, limit, kinds.outbox, kinds.parcels, this.#part],
    });
    return rows.map(({ slot, epoch, outbox }) => ({
      slot: Number(slot),
      epoch: Number(epoch),
      outbox: outbox === null ? undefined : Number(outbox),
      isOwn: false,
      isLost: false,
    }));
  }

  /** Renews the slots that no other journal took. Resolves to these, also if their time had passed. */
  async renew<Slot extends Held>(slots: readonly Slot[]): Promise<Slot[]> {
    const rows = await this.#database.run({
      what: 'renew slots',
      text: `with locked as (${this.#lock})
        update ${this.#slot} as s set until = now() + $4 * interval '1 millisecond'
        from locked where s.id = locked.id returning s.id as slot, s.epoch`,
      values: [...keysOf(slots), this.#owner, this.#leaseMs],
      timeoutMs: RENEW_MS,
    });
    const renewed = new Set(rows.map(keyOf));
    return slots.filter((slot) => renewed.has(keyOf(slot)));
  }

  /** Others may take these slots at once. With the next epoch: a renewal that arrives later finds none of them. */
  async giveBack(slots: readonly Held[]): Promise<void> {
    await this.#database.run({
      what: 'give slots back',
      text: `with locked as (${this.#lock})
        update ${this.#slot} as s set owner = null, until = now(), epoch = s.epoch + 1
        from locked where s.id = locked.id`,
      values: [...keysOf(slots), this.#owner],
    });
  }

  /** Deletes one slot if it is empty. The foreign key makes that safe. */
  async remove(slot: number): Promise<void> {
    await this.#database.run({
      what: 'delete a slot',
      text: `delete from ${this.#slot} as s where id = $1 and outbox is null and owner is null
        and not exists (select from ${this.#database.schema}.parcel as p where p.slot = s.id)`,
      values: [slot],
    });
  }

  /** Deletes slots that are empty and that nobody owned for a long time, such as those of processes that crashed. */
  async removeUnused(): Promise<void> {
    await this.#database.run({
      what: 'delete slots',
      text: `delete from ${this.#slot} as s where outbox is null and until < now() - ${UNUSED}
        and not exists (select from ${this.#database.schema}.parcel as p where p.slot = s.id)`,
    });
  }

  /**
   * Locks slots of two parameters in one order: statements that change several never wait for each other in a circle. The third
   * parameter is their owner: the epoch of another one may be the same after a failover, which takes epochs back.
   */
  get #lock(): string {
    return `select id from ${this.#slot} as s
      join unnest($1::bigint[], $2::bigint[]) as held (slot, epoch) on s.id = held.slot and s.epoch = held.epoch and s.owner = $3
      order by id for no key update of s`;
  }

  get #slot(): string {
    return `${this.#database.schema}.slot`;
  }
}

function keysOf(slots: readonly Held[]): [slots: number[], epochs: (number | undefined)[]] {
  return [slots.map(({ slot }) => slot), slots.map(({ epoch }) => epoch)];
}

function keyOf({ slot, epoch }: Held | Row): string {
  return `${slot} ${epoch}`;
}
