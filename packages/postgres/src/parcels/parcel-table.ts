import type { Database, Row } from '../database/database.ts';
import { FOREIGN_KEY, QueryError } from '../database/query-error.ts';
import type { Body } from './parcel-body.ts';
import type { Parcel } from './parcel-list.ts';
import type { Span } from './pieces.ts';

/** A parcel that is inserted. */
export interface NewParcel {
  readonly seq: number;
  readonly events: number;
  /** When its oldest event was accepted, in milliseconds since 1970; undefined if unknown. */
  readonly at: number | undefined;
  readonly body: Body;
}

/** A parcel that a list of the table shows. */
export interface ListedParcel extends Parcel {
  readonly slot: number;
}

/** A parcel with its body. */
export interface StoredParcel {
  readonly seq: number;
  readonly events: number;
  readonly body: Body;
}

/** Where a row is. Only this journal as the owner of this epoch may change it; anybody, if the epoch is left out. */
export interface RowKey {
  readonly slot: number;
  readonly epoch: number | undefined;
  readonly seq: number;
  /** Of the text of an event of the outbox. */
  readonly hash?: string | undefined;
}

const COLUMNS = 6;

/** The statements on the table of parcels. */
export class ParcelTable {
  readonly #database: Database;
  readonly #owner: string;

  /** @param owner The id of this journal. */
  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Inserts all or none. Resolves to false if the slot is gone. @param isRepeated Whether they may have been inserted before. */
  async insert(slot: number, parcels: readonly NewParcel[], isRepeated: boolean): Promise<boolean> {
    const rows = parcels.map((_, row) => {
      const at = (column: number) => `$${row * COLUMNS + column}`;
      const time = `coalesce(to_timestamp(${at(4)}::float8 / 1000), '-infinity')`;
      return `(${at(1)}::bigint, ${at(2)}::bigint, ${at(3)}::integer, ${time}, ${at(5)}::boolean, ${at(6)}::bytea)`;
    });
    // Nobody else locks the slot while a commit takes long. Only a repeat needs that: a release may be in progress.
    const lock = isRepeated ? 'for no key update' : '';
    // What was released is not inserted again, by a repeat or by a first insert that comes after it. What is there is updated, so
    // that this commit waits for the standby too.
    const text = `with own as (select released from ${this.#database.schema}.slot where id = $1 ${lock}),
      stored as (insert into ${this.#parcel} (slot, seq, events, at, gzipped, body)
        select new.* from (values ${rows}) as new (slot, seq), own where new.seq > own.released
        on conflict (slot, seq) do update set events = excluded.events)
      select from own`;
    try {
      const found = await this.#database.run({
        what: 'store events',
        text,
        values: parcels.flatMap(({ seq, events, at, body }) => {
          const { buffer, byteOffset, byteLength } = body.bytes;
          return [slot, seq, events, at, body.isGzipped, Buffer.from(buffer, byteOffset, byteLength)];
        }),
        needsStandby: true,
      });
      return found.length > 0;
    } catch (error) {
      if (error instanceof QueryError && error.state === FOREIGN_KEY) return false;
      throw error;
    }
  }

  /**
   * Lists parcels of slots of which this journal is the owner, without those that it knows: those of the slot with the oldest one first.
   *
   * @param limit For each slot.
   */
  async list(
    slots: readonly Omit<RowKey, 'seq'>[],
    known: readonly Omit<RowKey, 'epoch'>[],
    limit: number,
  ): Promise<ListedParcel[]> {
    const rows = await this.#database.run({
      what: 'list events',
      text: `select held.slot, found.* from unnest($1::bigint[], $2::bigint[]) as held (slot, epoch)
        join ${this.#database.schema}.slot as s on s.id = held.slot and s.epoch = held.epoch and s.owner = $6
        cross join lateral (
          select seq, events, gone::text, octet_length(body) as bytes,
            case when isfinite(at) then extract(epoch from at) * 1000 end as at
          from ${this.#parcel} as p where p.slot = held.slot and not exists (
            select from unnest($3::bigint[], $4::bigint[]) as known (slot, seq)
            where known.slot = p.slot and known.seq = p.seq)
          order by seq limit $5) as found
        order by min(found.at) over (partition by held.slot) nulls first, held.slot, found.seq`,
      values: [
        slots.map(({ slot }) => slot),
        slots.map(({ epoch }) => epoch),
        known.map(({ slot }) => slot),
        known.map(({ seq }) => seq),
        limit,
        this.#owner,
      ],
    });
    return rows.map(listed);
  }

  /** Reads the parcels from one number to another, both included. */
  async read(slot: number, first: number, last: number): Promise<StoredParcel[]> {
    const rows = await this.#database.run({
      what: 'read events',
      text: `select seq, events, gzipped::integer as gzipped, encode(body, 'base64') as body from ${this.#parcel}
        where slot = $1 and seq between $2 and $3 order by seq`,
      values: [slot, first, last],
    });
    return rows.map(({ seq, events, gzipped, body }) => ({
      seq: Number(seq),
      events: Number(events),
      body: { bytes: Buffer.from(String(body), 'base64'), isGzipped: Number(gzipped) === 1 },
    }));
  }

  /**
   * Deletes parcels of which it is unknown whether they are stored. An insert of them may still be in progress, and a delete does not
   * see its rows. An insert of the same numbers waits for it.
   */
  async clear(keys: readonly RowKey[]): Promise<void> {
    const [what, values] = ['clear events', this.#valuesOf(keys)];
    await this.#database.run(
      { what, text: 'begin' },
      {
        what,
        text: `insert into ${this.#parcel} (slot, seq, events, at, gzipped, body)
          select k.slot, k.seq, 1, '-infinity', false, '' from ${this.#keys} on conflict do nothing`,
        values,
      },
      { what, text: this.#noted, values },
      { what, text: 'commit' },
    );
  }

  /** Deletes parcels. @param isNoted Whether an insert of them may still come. Then their slots note that they are released. */
  async remove(keys: readonly RowKey[], isNoted: boolean): Promise<void> {
    await this.#database.run({
      what: 'release events',
      text: isNoted ? this.#noted : this.#remove,
      values: this.#valuesOf(keys),
    });
  }

  /** Keeps a parcel that is damaged, in a slot of its own that nobody takes. */
  async setAside(key: RowKey): Promise<void> {
    await this.#database.run({
      what: 'keep what is damaged',
      text: `with aside as (insert into ${this.#database.schema}.slot (part) select 'damaged' from ${this.#keys} returning id)
        update ${this.#parcel} as p set slot = aside.id from aside, ${this.#keys} where p.slot = k.slot and p.seq = k.seq`,
      values: this.#valuesOf([key]),
    });
  }

  /** Notes which events of parcels are released while others of them wait. */
  async cut(cuts: readonly (RowKey & { readonly gone: readonly Span[] })[]): Promise<void> {
    await this.#database.run({
      what: 'release some events',
      text: `update ${this.#parcel} as p set gone = k.gone::int8multirange
        from unnest($1::bigint[], $2::bigint[], $3::bigint[], $5::text[]) as k (slot, epoch, seq, gone)
        join ${this.#held} where p.slot = k.slot and p.seq = k.seq`,
      values: [
        ...this.#valuesOf(cuts),
        cuts.map(({ gone }) => `{${gone.map(({ from, to }) => `[${from},${to})`).join()}}`),
      ],
    });
  }

  /** Rows of the parameters whose slots are still this journal's, of these epochs. */
  get #keys(): string {
    return `unnest($1::bigint[], $2::bigint[], $3::bigint[]) as k (slot, epoch, seq) join ${this.#held}`;
  }

  get #held(): string {
    return `${this.#database.schema}.slot as s
      on s.id = k.slot and (k.epoch is null or s.epoch = k.epoch and s.owner = $4)`;
  }

  #valuesOf(keys: readonly RowKey[]): unknown[] {
    return [...columnsOf(keys), this.#owner];
  }

  get #remove(): string {
    return `delete from ${this.#parcel} as p using ${this.#keys} where p.slot = k.slot and p.seq = k.seq`;
  }

  get #noted(): string {
    const { schema } = this.#database;
    return `with gone as (${this.#remove} returning p.slot, p.seq),
        last as (select slot, max(seq) as seq from gone group by slot),
        locked as (select id, seq from ${schema}.slot as s join last on s.id = last.slot order by id for no key update of s)
      update ${schema}.slot as s set released = greatest(released, locked.seq) from locked where s.id = locked.id`;
  }

  get #parcel(): string {
    return `${this.#database.schema}.parcel`;
  }
}

/** The columns of keys, each as one parameter. */
export function columnsOf(keys: readonly RowKey[]): [slots: number[], epochs: unknown[], seqs: number[]] {
  return [keys.map(({ slot }) => slot), keys.map(({ epoch }) => epoch), keys.map(({ seq }) => seq)];
}

function listed({ slot, seq, events, gone, bytes, at }: Row): ListedParcel {
  const from = Number(seq);
  const to = from + Number(events);
  const rest: Span[] = [];
  let start = from;
  for (const [, first, last] of String(gone).matchAll(/\[(\d+),(\d+)\)/g)) {
    if (Number(first) > start) rest.push({ from: start, to: Number(first) });
    start = Number(last);
  }
  if (start < to) rest.push({ from: start, to });
  return {
    slot: Number(slot),
    from,
    to,
    bytes: Number(bytes),
    at: at === null ? undefined : Number(at),
    rest,
  };
}
