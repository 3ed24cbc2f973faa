import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import type { EventBytes, Limit } from '../../base/event-bytes.ts';
import { outside, type Range, type Span } from '../../base/range.ts';
import { uuid } from '../../base/uuid.ts';
import type { Piece } from '../record-list.ts';
import type { IndexedDbStore } from './indexeddb-store.ts';
import { loadText, saveText } from './local-storage.ts';
import {
  copyPiece,
  createLife,
  createRecord,
  keyOf,
  keysOf,
  LEASE,
  type Life,
  type Listed,
  type PageRecord,
  piecesOf,
  readKeys,
  rewrite,
} from './page-record.ts';
import { createSpill, type Put } from './spill.ts';

/**
 * What may have arrived is sent again by a page that has been there for so long: it will probably see the answer. Pages that are
 * left at once would send it again and again.
 */
const STAY_MS = 5_000;
/** A service that answered so lately answers the next request as well. */
const ALIVE_MS = 60_000;
const UNBOUNDED: Limit = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/** An ArrayBuffer, as far as newer browsers go. */
interface Transferable {
  transfer?(length: number): unknown;
}

/** What this page writes. */
interface OwnPut extends Put {
  readonly life: Life;
}

/** Events of a life. */
interface Leased extends Span {
  readonly life: Life;
}

/** What storage has of a record. */
interface Stored {
  readonly pieces: readonly Piece[];
  /** Whether it has something else there than events. */
  readonly isDamaged: boolean;
}

/** What a page knows of the records in storage, by the life that appended them. Writes what is new, and what is released. */
export class PageRecords {
  /** The id of this page's own life. */
  readonly own: string = uuid();
  /** The number of the segment of a life is its place in this list, from 1 on. Another list once storage was cleared. */
  lives: Life[] = [];
  readonly #store: IndexedDbStore;
  /** Whether storage was ever cleared. */
  wasCleared = false;
  /** What is written next. */
  #added: OwnPut[] = [];
  /** What is being written. */
  readonly #unconfirmed = new Set<OwnPut>();
  readonly #spill: ReturnType<typeof createSpill>;
  readonly #clock: Clock;
  readonly #createdAt: number;
  /** In localStorage it names the time of the last answer: a page that is left soon may not have had one itself. */
  readonly #name: string;
  /** Whether the page is left: it may end before a transaction does. */
  isLeft = false;
  /** Released records that storage may still have. */
  #gone: PageRecord[] = [];
  /** Partly released records, of which storage may still have all. */
  readonly #cut = new Set<PageRecord>();
  /** Within `together`: resolves once all of it is written. */
  #joint: Promise<void> | undefined;

  constructor(name: string, store: IndexedDbStore, clock: Clock) {
    this.#name = name;
    this.#store = store;
    this.#spill = createSpill(name);
    this.#clock = clock;
    this.#createdAt = clock.now();
  }

  /** Spills what is being written, and all that is written until the page is back: then it still has these events. */
  leave(isLeft: boolean): void {
    this.isLeft = isLeft;
    if (isLeft) for (const put of this.#unconfirmed) this.#spill.add(put);
    else for (const put of this.#spill.read()) if (put.key[0] === this.own) this.#spill.remove(put);
  }

  /** All that the database has. Moves what other pages spilled there first. */
  async list(): Promise<Listed> {
    let spilled = this.#spill.read();
    if (spilled.length)
      await this.#store.use('readwrite', (objects) => {
        // While the database was opened, another page may have moved them, and sent them.
        spilled = this.#spill.read();
        for (const { key, value } of spilled) objects.put(value, key);
      });
    for (const put of spilled) this.#spill.remove(put);
    const { result } = await this.#store.use('readonly', (objects) => objects.getAllKeys());
    const now = this.#clock.now();
    return readKeys(result, now, Math.abs(now - this.#createdAt) >= STAY_MS);
  }

  /** What storage has of records. */
  read(records: readonly PageRecord[]): Promise<Stored[]> {
    return this.#store.use('readonly', (objects) =>
      Promise.all(
        records.map(async (record) => {
          // Each result is taken out of the browser in a task of its own, when it is there: that takes long.
          const values = await promisifyRequest<unknown[]>(objects.getAll(keysOf(record)));
          const pieces = piecesOf(values, record);
          return { pieces, isDamaged: pieces.length < values.filter((value) => value !== LEASE).length };
        }),
      ),
    );
  }

  /** Removes keys from storage. A later list shows those that it fails to remove. Returns whether there are any. */
  discard(keys: readonly IDBValidKey[]): boolean {
    const remove = (objects: IDBObjectStore) => {
      for (const key of keys) objects.delete(key);
    };
    if (keys.length > 0) this.#store.use('readwrite', remove).catch(() => undefined);
    return keys.length > 0;
  }

  /** The life with an id, and with a number from now on. */
  lifeOf(id: string): Life {
    const known = this.lives.find((life) => life.id === id);
    if (known) return known;
    const life = createLife(id, this.lives.length + 1);
    this.lives.push(life);
    return life;
  }

  /** Storage was cleared: nothing of it is known any more, but which lives there were. */
  forget(): void {
    this.wasCleared = true;
    this.lives = this.lives.map(({ id, segment }) => createLife(id, segment));
  }

  /** The stored record to give up first: of other lives, and none of which another page leased a part. */
  get oldest(): PageRecord | undefined {
    const isFree = ({ isStored, known, rest }: PageRecord) =>
      isStored && rest.length > 0 && outside(rest, known).length === 0;
    for (const { records } of [...this.lives.filter(({ id }) => id !== this.own), this.lifeOf(this.own)]) {
      const record = records.all.find(isFree);
      if (record) return record;
    }
    return undefined;
  }

  /** Its writing begins with the next `write()`. */
  add(life: Life, from: number, events: EventBytes): PageRecord {
    const piece = copyPiece(from, events);
    const key = keyOf(life, piece);
    this.#added.push({ life, key, value: piece });
    return life.records.add(createRecord(life, key, false));
  }

  /** As `Sharing.lease`. */
  async lease(ranges: readonly Range[], forMs: number, isAppending?: boolean): Promise<void> {
    const now = this.#clock.now();
    const appending = isAppending ? [...this.#unconfirmed, ...this.#added] : [];
    const leased: Leased[] = appending.map(({ life, key: [, from, to] }) => ({ life, from, to }));
    for (const { segment, from, to } of ranges) {
      const life = this.lives[segment - 1];
      const records = life?.records.within({ from, to }, UNBOUNDED) ?? [];
      // What is released needs no lease any more. What was being appended was leased record by record.
      if (life && records[0]?.rest.some((part) => part.from < to && part.to > from))
        leased.push({ life, from, to }, ...(forMs > 0 ? [] : records));
    }
    if (leased.length === 0) {
      // All of the request is released: there was an answer.
      if (ranges.length > 0) saveText(this.#name, `${now}`);
    } else if (forMs === 0)
      await this.#store.use('readwrite', (objects) => {
        for (const { life, from, to } of leased)
          objects.delete(IDBKeyRange.bound([life.id, from, to, LEASE], [life.id, from, to, 0]));
      });
    else {
      const wasAlive = Number(Math.abs(now - Number(loadText(this.#name))) < ALIVE_MS);
      for (const { life, from, to } of leased)
        this.#added.push({
          life,
          key: [life.id, from, to, LEASE, now + forMs, forMs, wasAlive],
          value: LEASE,
        });
      await this.write();
    }
  }

  /** Nothing is awaited before it begins: this may be the last moment of the page. */
  write(): Promise<void> {
    return this.#joint ?? this.#flush();
  }

  /** A record may be stored, though it was said that it is not: deletes it with what is written next. */
  disown(records: readonly PageRecord[]): void {
    this.#gone.push(...records);
  }

  /** Leaves in storage what is not released of records. What it fails to give up now, it tries again with what is released next. */
  async release(records: readonly PageRecord[]): Promise<void> {
    for (const record of records)
      if (record.rest.length > 0) this.#cut.add(record);
      else this.#gone.push(record);
    await Promise.all([
      this.#gone.length > 0 && this.write(),
      ...[...this.#cut].map(async (record) => {
        await this.#store.use('readwrite', (objects) => rewrite(objects, record));
        this.#cut.delete(record);
      }),
    ]);
  }

  /** Chromium ends with a page what it wrote in transactions that had not begun, though they were told to commit. */
  together<Result>(work: () => Result): Result {
    if (this.#joint) return work();
    let end: (written?: Promise<void>) => void = () => {};
    this.#joint = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      return work();
    } finally {
      this.#joint = undefined;
      end(this.#added.length > 0 ? this.#flush() : undefined);
    }
  }

  /** A record is gone from storage. One of another life is still known where a page that lost it may store it again. */
  drop(record: PageRecord): void {
    const { id, records } = record.life;
    if (id === this.own || !this.wasCleared) records.remove(record);
  }

  /** Where it fails, what is to go goes with what is written next. */
  async #flush(): Promise<void> {
    const gone = this.#gone.splice(0);
    const added = this.#added.splice(0);
    for (const put of added) {
      this.#unconfirmed.add(put);
      if (this.isLeft) this.#spill.add(put);
    }
    try {
      await this.#store.use('readwrite', (objects) => {
        for (const record of gone) objects.delete(keysOf(record));
        // What storage lost meanwhile is not written late.
        for (const { life, key, value } of added) if (this.lives.includes(life)) objects.put(value, key);
      });
    } catch (error) {
      this.#gone.push(...gone);
      throw error;
    } finally {
      for (const put of added) this.#unconfirmed.delete(put);
    }
    for (const record of gone) this.drop(record);
    // What waits for the garbage collector cannot hold the next ones: memory that is new to the page is slow.
    for (const { value } of added) if (value !== LEASE) (value.bytes.buffer as Transferable).transfer?.(0);
  }
}
