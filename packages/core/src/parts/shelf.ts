import type { Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import { type Range, rangeLength } from '../base/range.ts';
import { Turns } from '../base/turns.ts';
import type { Journal, Reading } from '../keep/journal.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Places } from '../wait/places.ts';

/** How much is read at once: half of what a journal takes, because events may grow before they are written again. */
const PAGE: Limit = { maxEvents: 250, maxBytes: 24 * 1024 };

export interface ShelfOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly reporter: Pick<Reporter, 'emit' | 'recovered' | 'settled' | 'storageFailed'>;
}

/** Stored events that are not to be delivered now. They have a journal of their own, beside the main one. */
export class Shelf {
  /** Where the events are, oldest first. */
  kept: Places = new Places();
  protected readonly options: ShelfOptions;
  /** Called when events were dropped, or when others ended them. The count may be 0. */
  protected readonly ended: (fate: Fate, count: number) => void;
  protected readonly turns: Turns = new Turns();
  /** Called when events of a previous process were found. */
  readonly #found: (count: number) => void;
  /** Set once the journal is being opened. */
  #opened: Promise<void> | undefined;

  constructor(options: ShelfOptions, ended: Shelf['ended'], found: (count: number) => void = () => {}) {
    this.options = options;
    this.ended = ended;
    this.#found = found;
  }

  get journal(): Journal {
    return this.options.journal;
  }

  /** Opens the journal, once, and finds what previous processes left. If that fails, the next call tries again. */
  open(): Promise<void> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Runs a task on all that is stored, and frees what it leaves unused in storage. */
  use<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.turns.take(async () => {
      await this.open();
      const result = await work();
      await this.journal.reclaim?.();
      return result;
    });
  }

  add(range: Range): void {
    this.kept.add(range);
  }

  /** Reads events from the start of a range. Drops those that cannot be read. */
  async read(range: Range, limit: Limit = PAGE): Promise<Reading> {
    const reading = await this.journal.read(range, limit);
    // If it has forgotten them meanwhile, they are another tracker's.
    if (reading.events.ends.length === 0 && this.forget(reading.range, 'damaged') > 0)
      await this.journal.acknowledge(reading.range);
    return reading;
  }

  async drop(range: Range, fate: Fate): Promise<void> {
    this.forget(range, fate);
    await this.journal.acknowledge(range);
  }

  /** Events are in the journal no more. Returns how many it knew of. */
  forget(range: Range, fate: Fate): number {
    const count = this.kept.cut(range);
    this.ended(fate, count);
    return count;
  }

  /** Drops all events. Returns how many. */
  clear(fate: Fate): Promise<number> {
    return this.use(async () => {
      const { count, ranges } = this.kept;
      // All at once: there may be thousands.
      const done = await Promise.allSettled(ranges.map(async (range) => this.journal.acknowledge(range)));
      const failed = done.find((one) => one.status === 'rejected');
      // What storage did not release is released at the next try.
      const released = ranges.filter((_, index) => done[index]?.status === 'fulfilled');
      const kept = new Set(this.kept.ranges);
      const changed = released.filter((range) => !kept.delete(range));
      const before = this.kept.count;
      this.kept = new Places();
      for (const range of kept) this.kept.add(range);
      this.ended(fate, before - this.kept.count);
      for (const range of changed) this.forget(range, fate);
      if (failed) throw failed.reason;
      return count;
    });
  }

  /** Drops the events that are too old, which come first in each range, and sorts the others. */
  async tidy(): Promise<void> {
    const now = this.options.clock.now();
    const before = now - this.options.maxAgeMs;
    /** The age of each segment is that of its first event. */
    const times = new Map<number, number>();
    for (const stored of this.kept.ranges) {
      for (let { from } = stored; from < stored.to; ) {
        const { events, range } = await this.read({ ...stored, from });
        // Events before one that is too old were stored before it, whatever the clock said.
        const count = events.times?.reduce((sum, time, index) => (time < before ? index + 1 : sum), 0) ?? 0;
        if (count > 0) await this.drop({ ...range, to: range.from + count }, 'expired');
        from = range.to;
        if (count === events.ends.length) continue;
        if (!times.has(range.segment)) times.set(range.segment, events.times?.[count] || 0);
        break;
      }
    }
    const timeOf = ({ segment }: Range) => times.get(segment) ?? now;
    const sorted = this.kept.ranges.sort((one, other) => timeOf(one) - timeOf(other));
    this.kept = new Places();
    for (const range of sorted) this.kept.add(range);
  }

  close(): Promise<void> {
    return this.turns.take(() => this.journal.close());
  }

  async #open(): Promise<void> {
    const { reporter } = this.options;
    await this.journal.open({
      recovered: (range) => {
        this.add(range);
        this.#found(rangeLength(range));
      },
      settled: (range, fate) => this.forget(range, fate),
      vanished: (range) => this.forget(range, 'damaged'),
      damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
      failed: reporter.storageFailed,
    });
    await this.tidy().catch(reporter.storageFailed);
  }
}
