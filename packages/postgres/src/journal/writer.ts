import { ClosedError, type EventBytes, type Range, StorageError } from '@sluice/core';
import { type Clock, sleep } from '@sluice/protocol/toolbox';
import { QueryError } from '../database/query-error.ts';
import { type Body, encodeBody } from '../parcels/parcel-body.ts';
import { ParcelSegment } from '../parcels/parcel-segment.ts';
import type { NewParcel, ParcelTable } from '../parcels/parcel-table.ts';
import { type Moment, moment, msSince } from '../slots/moment.ts';
import type { Segments } from '../slots/segments.ts';
import type { Tenure } from '../slots/tenure.ts';
import type { Releases } from './releases.ts';

interface WriterOptions {
  readonly parcels: ParcelTable;
  readonly segments: Segments;
  readonly releases: Releases;
  readonly clock: Clock;
  readonly compress: boolean;
  /** How long an append whose outcome is unknown is repeated, in milliseconds. */
  readonly repeatMs: number;
  /** Makes a slot. */
  readonly makeSlot: () => Promise<Tenure>;
  /** The table has a group. */
  readonly onStored: (range: Range) => void;
}

/** A group that is appended. */
interface Entry {
  readonly events: number;
  readonly at: number | undefined;
  readonly body: Promise<Body>;
  resolve(range: Range): void;
  reject(error: Error): void;
}

/** The slot that new parcels go to. */
interface Home {
  readonly segment: ParcelSegment;
  readonly number: number;
  /** The number of the next event. */
  next: number;
}

/** Most groups in one statement. */
const MOST_ROWS = 8;
const REPEAT_MS = 100;
/** Statements of cut connections may come so late, in milliseconds. */
const LATE_MS = 10_000;

/**
 * Writes groups into a slot of its own. One statement at a time: a forwarder of the slot never sees a group before an earlier one.
 * All that waits goes with the next statement.
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: Entry[] = [];
  #running: Promise<void> | undefined;
  /** The write in progress. */
  #writing: Promise<void> | undefined;
  #home: Home | undefined;
  #isClosed = false;
  readonly #closing = new AbortController();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** The slot that it writes. Undefined until the first append. */
  get tenure(): Tenure | undefined {
    return this.#home?.segment.tenure;
  }

  append(events: EventBytes): Promise<Range> {
    if (this.#isClosed) return Promise.reject(new ClosedError('append() was called after close()'));
    const at = events.times?.[0];
    const body = encodeBody(events, this.#options.compress);
    // It is awaited later, or never.
    body.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const known = Number.isNaN(at) ? undefined : at;
      this.#queue.push({ events: events.ends.length, at: known, body, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once nothing is being written to a slot that is lost: nobody knows yet what others will find there. */
  async leftLost(): Promise<void> {
    while (this.#writing && this.tenure?.isLost) await this.#writing;
  }

  /** Ends the repetition of appends. Resolves once nothing is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    // One statement for all appends of this turn.
    await undefined;
    while (this.#queue.length > 0) {
      const entries = this.#queue.slice(0, MOST_ROWS);
      let done = entries.length;
      this.#writing = this.#write(entries).catch((error: Error) => {
        // Later ones too: what comes again would be behind them.
        done = this.#queue.length;
        for (const { reject } of this.#queue) reject(error);
      });
      await this.#writing;
      this.#queue = this.#queue.slice(done);
    }
    this.#writing = undefined;
    this.#running = undefined;
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const { parcels, onStored, releases } = this.#options;
    const bodies = await Promise.all(entries.map(({ body }) => body));
    // What may have been stored of groups that were given up goes first: these may be the same events.
    await releases.cleared();
    /** Since when it is unknown whether the groups are stored. */
    let since: Moment | undefined;
    for (;;) {
      const home = since && this.#home ? this.#home : await this.#openHome();
      const rows = place(home, entries, bodies);
      try {
        if (!(await parcels.insert(home.segment.tenure.slot, rows, since !== undefined))) {
          // The slot was empty, and was deleted.
          this.#home = undefined;
          continue;
        }
        home.next = endOf(rows);
        for (const [index, row] of rows.entries()) {
          const range = { segment: home.number, from: row.seq, to: row.seq + row.events };
          const whole = { from: range.from, to: range.to };
          const { length: bytes } = row.body.bytes;
          const isRepeated = since !== undefined;
          home.segment.parcels.add({ ...whole, at: row.at, bytes, rest: [whole], isRepeated });
          entries[index]?.resolve(range);
          onStored(range);
        }
        return;
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        if (error.isUnknown) since ??= moment();
        else if (!since) throw error;
        if (since) await this.#wait(since, home, rows, error);
      }
    }
  }

  /** Waits before the next try. Rejects if it is time to give up. */
  async #wait(since: Moment, home: Home, rows: readonly NewParcel[], cause: Error): Promise<void> {
    const { clock, releases, repeatMs } = this.#options;
    const { signal } = this.#closing;
    await sleep(clock, REPEAT_MS, signal);
    if (!signal.aborted && msSince(since) < repeatMs) return;
    home.next = endOf(rows);
    const { tenure } = home.segment;
    const strays = rows.map(({ seq }) => ({ table: 'stray', tenure, seq, done: () => {} }) as const);
    const clear = () => releases.add(strays).catch(() => undefined);
    // A statement of a cut connection that waits for a lock may come after the first time.
    void clear()
      .then(() => sleep(clock, LATE_MS, signal))
      .then(clear);
    throw new StorageError(`${cause.message}: whether the events are stored is unknown`, { cause });
  }

  async #openHome(): Promise<Home> {
    const { makeSlot, parcels, segments } = this.#options;
    if (!this.#home || this.#home.segment.tenure.isLost) {
      const segment = new ParcelSegment(await makeSlot(), parcels);
      this.#home = { segment, number: segments.add(segment), next: 1 };
    }
    return this.#home;
  }
}

/** Gives each group its number. */
function place(home: Home, entries: readonly Entry[], bodies: readonly Body[]): NewParcel[] {
  let seq = home.next;
  return bodies.map((body, index) => {
    const { at, events = 0 } = entries[index] ?? {};
    const row = { seq, events, at, body };
    seq += events;
    return row;
  });
}

function endOf(rows: readonly NewParcel[]): number {
  const last = rows.at(-1);
  return last ? last.seq + last.events : 0;
}
