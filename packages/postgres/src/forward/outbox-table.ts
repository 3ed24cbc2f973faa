import type { Database } from '../database/database.ts';
import { columnsOf, type RowKey } from '../parcels/parcel-table.ts';

/** An event of the outbox. */
export interface OutboxRow {
  /** The id of its slot. */
  readonly slot: number;
  readonly seq: number;
  /** Of its text, as PostgreSQL makes it: another event may get the same number. */
  readonly hash: string;
  /** Its JSON text, as the service gets it. */
  readonly body: string;
}

/** Most bytes of the events of one slot that are taken at once; more if one event is larger. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Tells a row from another one that has its number. PostgreSQL gives numbers again after `truncate … restart identity`, and after a
 * crash or a failover that took the last commits back. So it does with the ids of transactions, but each text has a uuid.
 */
const HASH = 'hashtextextended(body, 0)';

/** The statements of forwarders on the table of the outbox. */
export class OutboxTable {
  readonly #database: Database;
  readonly #owner: string;

  /** @param owner The id of this journal. */
  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /**
   * Takes events of slots of which this journal is the owner, in order, without those that it knows: a transaction that commits late
   * has lower numbers than others of before. An event with the number of a known one is taken once that one is released.
   *
   * @param limit For each slot.
   */
  async list(
    slots: readonly Omit<RowKey, 'seq'>[],
    known: readonly number[],
    limit: number,
  ): Promise<OutboxRow[]> {
    const { schema } = this.#database;
    const rows = await this.#database.run({
      what: 'list the outbox',
      text: `select held.slot, found.seq, found.body, ${HASH} as hash from unnest($1::bigint[], $2::bigint[]) as held (slot, epoch)
        join ${schema}.slot as s on s.id = held.slot and s.epoch = held.epoch and s.owner = $5
        cross join lateral (
          select seq, body, sum(octet_length(body)) over (order by seq) - octet_length(body) as before from (
            select seq, body from ${schema}.outbox as o where o.slot = s.outbox and o.seq <> all ($3::bigint[])
            order by seq limit $4) as first) as found
        where found.before < ${MOST_BYTES} order by held.slot, found.seq`,
      values: [slots.map(({ slot }) => slot), slots.map(({ epoch }) => epoch), known, limit, this.#owner],
    });
    return rows.map(({ slot, seq, hash, body }) => ({
      slot: Number(slot),
      seq: Number(seq),
      hash: String(hash),
      body: String(body),
    }));
  }

  /** Reads events of a slot of which this journal is the owner. */
  async read(
    { slot, epoch }: Omit<RowKey, 'seq'>,
    seqs: readonly number[],
  ): Promise<Omit<OutboxRow, 'slot'>[]> {
    const { schema } = this.#database;
    const rows = await this.#database.run({
      what: 'read the outbox',
      text: `select o.seq, o.body, ${HASH} as hash from ${schema}.slot as s join ${schema}.outbox as o on o.slot = s.outbox
        where s.id = $1 and s.epoch = $2 and s.owner = $3 and o.seq = any ($4::bigint[])`,
      values: [slot, epoch, this.#owner, seqs],
    });
    return rows.map(({ seq, hash, body }) => ({ seq: Number(seq), hash: String(hash), body: String(body) }));
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    const { schema } = this.#database;
    await this.#database.run({
      what: 'release events of the outbox',
      text: `delete from ${schema}.outbox as o
        using unnest($1::bigint[], $2::bigint[], $3::bigint[], $5::bigint[]) as k (slot, epoch, seq, hash)
        join ${schema}.slot as s on s.id = k.slot and s.epoch = k.epoch and s.owner = $4
        where o.slot = s.outbox and o.seq = k.seq and ${HASH} = k.hash`,
      values: [...columnsOf(keys), this.#owner, keys.map(({ hash }) => hash)],
    });
  }
}
