import { Alarm } from '../../base/alarm.ts';
import type { Clock } from '../../base/clock.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { joinEvents, type Limit, splitEvents } from '../../base/event-bytes.ts';
import { type Range, rangeLength } from '../../base/range.ts';
import { type EpochRange, RangeQueue } from '../../base/range-queue.ts';
import { Turns } from '../../base/turns.ts';
import type { Journal } from '../../keep/journal.ts';
import type { LetterStore, Refusal } from '../../send/letter-store.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Batch } from '../../wait/batch.ts';
import { writeLetter } from './dead-letter.ts';

/** Bytes that a letter takes in a file beside its own, including the start of a new file. */
const OVERHEAD_BYTES = 64;
/** Bytes that the note of its release may take later. */
const NOTE_BYTES = 12;
/** The oldest letters are checked this many times within `maxAgeMs`, at an interval within the two bounds below. */
const EXPIRY_CHECKS = 20;
const LEAST_CHECK_MS = 1_000;
const MOST_CHECK_MS = 60 * 60_000;
const FIRST_LETTERS: Limit = { maxEvents: 100, maxBytes: 16 * 1024 };

export interface DeadLetterStoreOptions {
  /** Called when it is first needed: most trackers never have a dead letter. */
  readonly createJournal: () => Journal;
  /** Whether that journal may hold something. */
  readonly mayHold: () => Promise<boolean>;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** How much is read at once. */
  readonly page: Limit;
  readonly reporter: Pick<Reporter, 'emit' | 'storageFailed'>;
}

/** A letter as read from the journal. */
export interface StoredLetter {
  readonly range: Range;
  readonly text: Uint8Array;
  /** When it was written; NaN if that is not known. */
  readonly time: number;
}

/** The part of a segment that is still to be read. */
interface Span {
  from: number;
  readonly to: number;
}

/** Dead letters in a journal of their own, within limits: the oldest are dropped first. One operation runs at a time. */
export class DeadLetterStore implements LetterStore {
  readonly #options: DeadLetterStoreOptions;
  /** Where the letters are, oldest first. */
  readonly #kept = new RangeQueue();
  #journal: Journal | undefined;
  readonly #turns = new Turns();
  /** Runs until the next check of the oldest letters. */
  readonly #check: Alarm;
  #closed = false;

  constructor(options: DeadLetterStoreOptions) {
    const { clock, reporter } = options;
    this.#options = options;
    this.#check = new Alarm(clock, () => {
      void this.#inTurn(async () => this.#tidy(await this.#open()))
        .catch(reporter.storageFailed)
        .then(() => this.#watch());
    });
  }

  get count(): number {
    return this.#kept.count;
  }

  get bytes(): number {
    return this.#journal?.bytes ?? 0;
  }

  keep({ events }: Pick<Batch, 'events'>, refusal: Refusal): Promise<void> {
    return this.#inTurn(async () => {
      const { clock } = this.#options;
      const now = clock.now();
      const letter = writeLetter(events.bytes, refusal, now);
      const journal = await this.#open();
      if (!(await this.#makeRoom(journal, letter.length + OVERHEAD_BYTES))) return this.#dropped('full', 1);
      const range = await journal.append(joinEvents([letter], now));
      try {
        await journal.sync();
      } catch (error) {
        // The event stays where it was, and is tried again.
        await journal.acknowledge(range).catch(() => undefined);
        throw error;
      }
      this.#add(range);
    });
  }

  /** Finds the letters that previous processes left. */
  async look(): Promise<void> {
    await this.#inTurn(() => this.#look());
  }

  /** Passes all current letters to `work`, a page at a time, and yields the results. No other operation runs during `work`. */
  async *visit<Result>(
    work: (letters: readonly StoredLetter[]) => Result | Promise<Result>,
  ): AsyncGenerator<Result> {
    const spans = new Map<number, Span>();
    for (const { segment, to } of await this.#inTurn(() => this.#look())) spans.set(segment, { from: 0, to });
    for (;;) {
      const visit = await this.#inTurn(async () => {
        const letters = await this.#read(spans, this.#options.page);
        return letters.length > 0 && { result: await work(letters) };
      });
      if (!visit) return;
      yield visit.result;
    }
  }

  /** Deletes letters that were visited. */
  async drop(letters: readonly StoredLetter[]): Promise<void> {
    const gone = new RangeQueue();
    for (const { range } of letters) gone.push({ ...range, epoch: 0 });
    await this.#release(gone.ranges);
  }

  /** Deletes all letters without reading them. Returns how many. */
  clear(): Promise<number> {
    return this.#inTurn(async () => {
      const all = await this.#look();
      await this.#release(all);
      return all.reduce((count, range) => count + rangeLength(range), 0);
    });
  }

  /** Frees the storage that deleted letters still take, if the journal can. */
  async reclaim(): Promise<void> {
    await this.#inTurn(async () => this.#journal?.reclaim?.()).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#check.cancel();
    await this.#turns.take(async () => this.#journal?.close());
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(new ClosedError('dead letters were asked for after close()'));
    return this.#turns.take(async () => {
      const sharing = (await this.#found())?.sharing;
      if (sharing === undefined) return work();
      return sharing.hold(async () => {
        await sharing.refresh();
        return work();
      });
    });
  }

  async #look(): Promise<readonly Range[]> {
    return (await this.#found()) === undefined ? [] : this.#kept.ranges;
  }

  /** The journal, if there may be something in it. */
  async #found(): Promise<Journal | undefined> {
    return this.#journal ?? ((await this.#options.mayHold()) ? this.#open() : undefined);
  }

  async #open(): Promise<Journal> {
    const { createJournal, reporter } = this.#options;
    if (this.#journal !== undefined) return this.#journal;
    const journal = createJournal();
    try {
      await journal.open({
        recovered: (range) => this.#add(range),
        settled: (range) => this.#forget([range]),
        damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
        failed: reporter.storageFailed,
      });
    } catch (error) {
      this.#kept.replace(() => []);
      await journal.close();
      throw error;
    }
    this.#journal = journal;
    await this.#tidy(journal).catch(reporter.storageFailed);
    return journal;
  }

  /** Drops letters beyond the limits, and sorts the others by age. */
  async #tidy(journal: Journal): Promise<void> {
    this.#sort(await this.#dropExpired());
    await this.#makeRoom(journal, 0);
  }

  #add(range: Range): void {
    this.#kept.push({ ...range, epoch: 0 });
    this.#watch();
  }

  /** Deletes ranges of letters. They must be in the same order as `#kept`. */
  async #release(gone: readonly Range[]): Promise<void> {
    this.#forget(gone);
    await Promise.all(gone.map((range) => this.#journal?.acknowledge(range)));
  }

  #forget(gone: readonly Range[]): void {
    let next = 0;
    this.#kept.replace((kept) => {
      const parts: EpochRange[] = [];
      let { from } = kept;
      for (let range = gone[next]; range?.segment === kept.segment && range.from < kept.to; ) {
        parts.push({ ...kept, from, to: Math.max(from, range.from) });
        from = Math.max(from, Math.min(range.to, kept.to));
        if (range.to > kept.to) break;
        next += 1;
        range = gone[next];
      }
      return [...parts, { ...kept, from }];
    });
  }

  /** Reads the next letters of each span and moves its start. Deletes letters that cannot be read: the journal reports them. */
  async #read(spans: ReadonlyMap<number, Span>, { maxEvents, maxBytes }: Limit): Promise<StoredLetter[]> {
    const letters: StoredLetter[] = [];
    let bytes = 0;
    for (const { segment, from, to } of this.#kept.ranges) {
      const span = spans.get(segment);
      if (span === undefined || this.#journal === undefined) continue;
      span.from = Math.max(span.from, from);
      while (span.from < Math.min(to, span.to)) {
        const asked = { segment, from: span.from, to: Math.min(to, span.to) };
        const most = Math.min(maxEvents - letters.length, rangeLength(asked));
        const room = { maxEvents: most, maxBytes: maxBytes - bytes };
        const { events, range } = await this.#journal.read(asked, room);
        if (events.ends.length === 0) await this.#release([range]);
        for (const [index, text] of splitEvents(events).entries()) {
          bytes += text.length;
          if (letters.length > 0 && bytes > maxBytes) return letters;
          const place = { segment, from: span.from, to: span.from + 1 };
          letters.push({
            range: place,
            text: new Uint8Array(text),
            time: events.times?.[index] ?? Number.NaN,
          });
          span.from += 1;
        }
        span.from = range.to;
        if (letters.length >= maxEvents) return letters;
      }
    }
    return letters;
  }

  /** Drops letters that are too old. Returns when the oldest letter of each segment was written. */
  async #dropExpired(): Promise<Map<number, number>> {
    const { clock, maxAgeMs } = this.#options;
    const before = clock.now() - maxAgeMs;
    const oldest = new Map<number, number>();
    let dropped = 0;
    try {
      for (const segment of new Set(this.#kept.ranges.map((range) => range.segment))) {
        for (;;) {
          const spans = new Map([[segment, { from: 0, to: Number.POSITIVE_INFINITY }]]);
          const letters = await this.#read(spans, FIRST_LETTERS);
          // Letters before one that is too old were written before it, whatever the clock said.
          const last = letters.findLastIndex(({ time }) => time < before);
          oldest.set(segment, letters[0]?.time || 0);
          if (last < 0) break;
          dropped += last + 1;
          await this.drop(letters.slice(0, last + 1));
        }
      }
    } finally {
      this.#dropped('expired', dropped);
    }
    return oldest;
  }

  /** Sorts by when the oldest letter of each segment was written. */
  #sort(oldest: ReadonlyMap<number, number>): void {
    const { ranges } = this.#kept;
    ranges.sort((one, other) => (oldest.get(one.segment) ?? 0) - (oldest.get(other.segment) ?? 0));
    this.#kept.replace(() => []);
    for (const range of ranges) this.#kept.push(range);
  }

  /** Returns false if there is no room, whatever is dropped. */
  async #makeRoom(journal: Journal, bytes: number): Promise<boolean> {
    const { maxBytes } = this.#options;
    const isFull = () => journal.bytes + NOTE_BYTES * this.count + bytes > maxBytes;
    // A letter that can never fit must not push out all others.
    if (bytes > maxBytes) return false;
    if (isFull()) await journal.reclaim?.();
    let dropped = 0;
    try {
      while (isFull()) {
        const count = await this.#dropOldest(journal);
        if (count === undefined) return false;
        dropped += count;
      }
    } finally {
      this.#dropped('full', dropped);
    }
    return true;
  }

  /** Returns how many letters it dropped; undefined if there was nothing to drop. */
  async #dropOldest(journal: Journal): Promise<number | undefined> {
    if (journal.evictOldest !== undefined) {
      const before = this.count;
      const segment = await journal.evictOldest();
      if (segment === undefined) return undefined;
      this.#kept.replace((range) => (range.segment === segment ? [] : [range]));
      return before - this.count;
    }
    const oldest = this.#kept.peek();
    if (oldest === undefined) return undefined;
    const range = this.#kept.shift(1);
    await journal.acknowledge(range);
    return 1;
  }

  #dropped(reason: 'full' | 'expired', count: number): void {
    if (count > 0) this.#options.reporter.emit('deadLettersDropped', { reason, count });
  }

  /** Sets the timer for the next check of the oldest letters. */
  #watch(): void {
    const { maxAgeMs } = this.#options;
    if (this.#closed || this.count === 0) return;
    const checkMs = Math.ceil(Math.max(LEAST_CHECK_MS, maxAgeMs / EXPIRY_CHECKS));
    this.#check.set(Math.min(MOST_CHECK_MS, checkMs));
  }
}
