import { type Clock, type Timer, tried } from '@sluice/protocol/toolbox';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError } from '../../base/errors/storage-error.ts';
import { type EventBytes, type Limit, NO_EVENTS } from '../../base/event-bytes.ts';
import type { Range, Span } from '../../base/range.ts';
import { uuid } from '../../base/uuid.ts';
import type { Journal, JournalObserver, Reading } from '../journal.ts';
import { type Kept, type Piece, RecordList, readPieces } from '../record-list.ts';
import { type SqliteDatabase, SqliteStore } from './sqlite-store.ts';

const GROUP_LIMIT: Limit = { maxEvents: 500, maxBytes: 256 * 1024 };
/** After a failure, the database is searched again for events of previous lives after this time. */
const SEARCH_AGAIN_MS = 30_000;
/** Noted beside a parcel if the process ended between two releases of it: before the second deleted the parcel. */
const RELEASED = '[]';
const ROWS = 'WHERE life = ? AND first BETWEEN ? AND ?';

/** A stored parcel: one row. */
interface Parcel extends Kept, Span {
  isCut: boolean;
}

/** One journal from `open()` to `close()`. */
interface Life {
  readonly id: string;
  readonly segment: number;
  readonly parcels: RecordList<Parcel>;
}

/** The lives whose events a journal of this process has: its own, and those that it found. */
const taken = new Set<string>();

/**
 * Keeps events in a SQLite database that the application has opened: a row for each group, which is never changed. What is released
 * of a group is noted beside it, and a group that is released completely is deleted. One process at a time may use a database.
 */
export class SqliteJournal implements Journal {
  readonly kind = 'sqlite';
  readonly survives = true;
  readonly groupLimit: Limit = GROUP_LIMIT;
  readonly #store: SqliteStore;
  readonly #place: string;
  readonly #clock: Clock;
  /** By segment: the own one, and those that were found. */
  readonly #lives: Life[] = [];
  /** Parcels of which something was released that could not be noted. */
  readonly #unnoted = new Map<Parcel, Life>();
  #life: Life | undefined;
  #observer: JournalObserver | undefined;
  #searching: Timer | undefined;
  #next = 0;
  #closed = false;

  /** @param place Journals of one place share their events, one after the other. */
  constructor(database: SqliteDatabase, place: string, clock: Clock) {
    this.#store = SqliteStore.of(database);
    this.#place = place;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#lives.reduce((sum, { parcels }) => sum + parcels.bytes, 0);
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    try {
      await this.#search(observer);
    } catch (error) {
      const again = () => void this.open(observer).catch(() => undefined);
      if (!this.#closed) this.#searching = this.#clock.setTimeout(again, SEARCH_AGAIN_MS);
      throw error;
    }
  }

  async append(events: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    const life = this.#own;
    const from = this.#next;
    const to = from + events.ends.length;
    // At once: another append may be called before this one is stored. And the caller uses the memory again.
    this.#next = to;
    const bytes = new Uint8Array(events.bytes);
    const [ends, times] = [[...events.ends], [...(events.times ?? [])]].map((list) => JSON.stringify(list));
    const at = events.times?.[0] ?? null;
    const key = [this.#place, life.id, from, to - from, bytes.length, at, ends ?? '', times ?? ''];
    await this.#store.use('store events', async (execute) => {
      try {
        await execute('INSERT INTO sluice_parcels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...key, bytes);
      } catch (error) {
        // The row may be stored all the same, and the caller appends these events again.
        const row = 'WHERE life = ? AND first = ?';
        await execute(`DELETE FROM sluice_parcels ${row}`, life.id, from).catch(() => undefined);
        throw error;
      }
    });
    life.parcels.add({ from, to, bytes: bytes.length, rest: [{ from, to }], isCut: false });
    return { segment: life.segment, from, to };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const life = this.#lives[range.segment - 1];
    if (life === undefined) return { events: NO_EVENTS, range };
    const wanted = life.parcels.within(range, limit);
    const [first, last] = [wanted[0], wanted.at(-1)];
    if (first && last) {
      const rows = await this.#store.use('read events', (execute) =>
        execute(
          'SELECT first, ends, times, events FROM sluice_parcels WHERE life = ? AND first BETWEEN ? AND ? ORDER BY first',
          ...[life.id, first.from, last.from],
        ),
      );
      const reading = readPieces(range, limit, rows.flatMap(readPiece));
      if (reading.events.ends.length > 0) return reading;
    }
    const next = life.parcels.all.find(({ from, rest }) => from > range.from && rest.length > 0);
    return { events: NO_EVENTS, range: { ...range, to: Math.min(range.to, next?.from ?? range.to) } };
  }

  async acknowledge(range: Range): Promise<void> {
    const life = this.#lives[range.segment - 1];
    const changed = life?.parcels.release(range) ?? [];
    if (life === undefined || changed.length === 0) return;
    await this.#note(life, changed);
    // That it failed was told before.
    void this.#noteAgain().catch(() => undefined);
  }

  /** In SQLite's mode WAL, a commit may wait for the next checkpoint to reach the disk. */
  async sync(): Promise<void> {
    await this.#store.use('sync events', async (execute) => {
      const [row] = await execute('PRAGMA wal_checkpoint(FULL)');
      // That is no error in SQLite.
      if (Number(row?.busy ?? 0) !== 0)
        throw new StorageError('somebody else reads or writes in the database, and holds up the checkpoint');
    });
  }

  /** Gives up one parcel, of previous lives first. */
  async evictOldest(rescue?: (segment: number, part: Span) => Promise<void>): Promise<true | undefined> {
    const own = this.#own;
    for (const { id, segment, parcels } of [...this.#lives.filter((life) => life !== own), own]) {
      const oldest = parcels.all.find(({ rest }) => rest.length > 0);
      if (oldest === undefined) continue;
      const range = { segment, from: oldest.from, to: oldest.to };
      await rescue?.(segment, range);
      // If it cannot be deleted, nothing is given up.
      await this.#store.use('delete events', (execute) =>
        execute(`DELETE FROM sluice_parcels ${ROWS}`, id, oldest.from, oldest.from),
      );
      this.#observer?.settled?.(range, 'journal-full');
      await this.acknowledge(range);
      return true;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#searching?.cancel();
    if (this.#lives.length === 0) return;
    await this.#noteAgain().catch(() => undefined);
    // Wait for statements in progress: only then may another journal take these events.
    await this.#store.use('close', async () => {}).catch(() => undefined);
    for (const { id } of this.#lives) taken.delete(id);
  }

  /** @param changed Parcels of which something is released: all that are between two of them are released, too. */
  async #note(life: Life, changed: readonly Parcel[]): Promise<void> {
    for (const parcel of changed) this.#unnoted.delete(parcel);
    const cut = changed.filter(({ rest }) => rest.length > 0);
    const ended = changed.filter(({ rest }) => rest.length === 0);
    const [first, last] = [ended[0], ended.at(-1)];
    try {
      await this.#store.use('release events', async (execute) => {
        for (const parcel of cut) {
          parcel.isCut = true;
          const values = [JSON.stringify(parcel.rest), life.id, parcel.from];
          // Only if the parcel is still there.
          const row = 'SELECT life, first, ? FROM sluice_parcels WHERE life = ? AND first = ?';
          await execute(`INSERT OR REPLACE INTO sluice_rests ${row}`, ...values);
        }
        if (first === undefined || last === undefined) return;
        const key = [life.id, first.from, last.from];
        await execute(`DELETE FROM sluice_parcels ${ROWS}`, ...key);
        if (ended.some(({ isCut }) => isCut)) await execute(`DELETE FROM sluice_rests ${ROWS}`, ...key);
      });
    } catch (error) {
      for (const parcel of changed) this.#unnoted.set(parcel, life);
      throw error;
    }
  }

  /** Notes what could not be noted, as far as that works now. */
  async #noteAgain(): Promise<void> {
    for (const [parcel, life] of this.#unnoted) await this.#note(life, [parcel]);
  }

  /** The life that appends. Its id is drawn only now: to import and to create draws no random number. */
  get #own(): Life {
    this.#life ??= this.#add(uuid());
    return this.#life;
  }

  #add(id: string): Life {
    const life = { id, segment: this.#lives.length + 1, parcels: new RecordList<Parcel>() };
    this.#lives.push(life);
    taken.add(id);
    return life;
  }

  /** Finds what lives that have ended left in the database. */
  async #search(observer: JournalObserver): Promise<void> {
    await this.#store.use('list events', async (execute) => {
      const rows = await execute(
        `SELECT life, first, count, bytes, at, rest FROM sluice_parcels LEFT JOIN sluice_rests USING (life, first)
          WHERE place = ? ORDER BY sluice_parcels.rowid`,
        this.#place,
      );
      if (this.#closed) return;
      const others = new Set(taken);
      for (const row of rows) {
        const id = String(row.life);
        if (others.has(id) || row.rest === RELEASED) continue;
        const life = this.#lives.find((known) => known.id === id) ?? this.#add(id);
        this.#found(life, row, observer);
      }
      for (const { life, first, rest } of rows)
        for (const table of rest === RELEASED ? ['sluice_parcels', 'sluice_rests'] : [])
          await execute(`DELETE FROM ${table} WHERE life = ? AND first = ?`, String(life), Number(first));
    });
  }

  #found(life: Life, row: Readonly<Record<string, unknown>>, observer: JournalObserver): void {
    const from = Number(row.first);
    const to = from + Number(row.count);
    const isCut = typeof row.rest === 'string';
    const rest = isCut ? readRest(String(row.rest), { from, to }) : [{ from, to }];
    life.parcels.add({ from, to, bytes: Number(row.bytes), rest, isCut });
    const at = typeof row.at === 'number' ? row.at : undefined;
    for (const part of rest) observer.recovered({ segment: life.segment, ...part }, at);
  }
}

/** What waits of a parcel. If that is damaged, all of it: then some events are delivered twice, but none is lost. */
function readRest(text: string, all: Span): readonly Span[] {
  const isPart = (span: Partial<Span> | null) => {
    const { from = Number.NaN, to = Number.NaN } = span ?? {};
    const areWhole = Number.isInteger(from) && Number.isInteger(to);
    return areWhole && all.from <= from && from < to && to <= all.to;
  };
  const spans: unknown = tried(() => JSON.parse(text));
  return Array.isArray(spans) && spans.every(isPart) ? spans : [all];
}

/** The events of a row; none if they are damaged. */
function readPiece(row: Readonly<Record<string, unknown>>): Piece[] {
  try {
    const events = row.events as ArrayBuffer | ArrayBufferView<ArrayBuffer>;
    const bytes = ArrayBuffer.isView(events)
      ? new Uint8Array(events.buffer, events.byteOffset, events.byteLength)
      : new Uint8Array(events);
    const ends = Uint32Array.from<number>(JSON.parse(String(row.ends)));
    const stored: readonly (number | null)[] = JSON.parse(String(row.times));
    const times = Float64Array.from(stored, (time) => time ?? Number.NaN);
    if (bytes.length !== ends.at(-1)) return [];
    return [{ from: Number(row.first), bytes, ends, ...(times.length > 0 && { times }) }];
  } catch {
    return [];
  }
}
