import type { Clock } from '@sluice/protocol/toolbox';
import type { EventBytes } from '../../base/event-bytes.ts';
import { Turns } from '../../base/turns.ts';
import type { Journal } from '../../keep/journal.ts';
import type { Entry, Room, Writer } from '../../keep/journal-writer.ts';
import type { Reporter } from '../../tell/reporter.ts';
import { fit } from './fit.ts';

/** Which events are dropped first if the journal is full. */
export type WhenFull = 'drop-oldest' | 'drop-newest';

/** What the bounds need of a journal. */
export type BoundedJournal = Pick<
  Journal,
  'acknowledge' | 'append' | 'bytes' | 'evictOldest' | 'groupLimit' | 'read' | 'reclaim' | 'space'
>;

export interface BudgetOptions {
  readonly journal: Pick<Journal, 'bytes' | 'evictOldest' | 'reclaim' | 'space'>;
  /** Drops the events that wait in a segment that the journal gave up. Returns how many. */
  readonly evict: (segment: number) => number;
  /** Copies the events that must be dropped last from a segment to another one. Returns how many bytes. */
  readonly rescue: (segment: number) => Promise<number>;
  readonly clock: Clock;
  /** Resolves once the journal knows what previous processes left in it. Left out if there is no need to wait for that. */
  readonly opened?: () => Promise<void>;
  /** Maximum size of the journal now, in bytes. */
  readonly most: () => number;
  /** Bytes that the journal leaves free on its disk for others. */
  readonly minFreeBytes: number;
  readonly whenFull: WhenFull;
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** A small disk is not reserved completely for others: at most this part of it is kept free. */
const MOST_RESERVED = 0.05;
const SPACE_INTERVAL_MS = 1_000;
/** Maximum of bytes that an event takes in the journal beside its own. */
const OVERHEAD_BYTES = 32;

/** Keeps the journal within the limits of `storage`. */
export class Budget implements Room {
  readonly #options: BudgetOptions;
  /** Bytes that may be written before others have too little disk space. Measured from time to time. */
  #spareBytes = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Bytes of appends in progress: the journal does not count them yet. */
  #reservedBytes = 0;
  #isOpened = false;
  /** One lane makes room at a time. If two gave up the same segment at once, it would be rescued and counted twice. */
  readonly #turns = new Turns();
  /** Bytes of the journal when only events that must be dropped last waited in it. */
  #bytesOfLast = Number.POSITIVE_INFINITY;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  makeRoom(group: EventBytes, isLast = false): Promise<'room' | 'full' | 'low'> {
    return this.#turns.take(() => this.#makeRoom(group, isLast));
  }

  async #makeRoom(group: EventBytes, isLast: boolean): Promise<'room' | 'full' | 'low'> {
    const { journal, most, whenFull } = this.#options;
    await this.#options.opened?.();
    this.#isOpened = true;
    // A group that can never fit must not push out all others.
    if (bytesOf(group) > most()) return 'full';
    await this.#lookAtSpace();
    if (this.#take(group)) return 'room';
    await this.#free(async () => journal.reclaim?.());
    while (!this.#take(group)) {
      if (whenFull === 'drop-oldest' && (await this.#evictOldest(isLast))) continue;
      return this.#bytes + bytesOf(group) > most() ? 'full' : 'low';
    }
    return 'room';
  }

  /** Returns false also if the disk space was not checked recently. */
  hasRoom(group: EventBytes): boolean {
    return this.#isCurrent() && this.#take(group);
  }

  fit(entry: Entry, writer: Writer): Promise<number | undefined> {
    return fit(entry, writer, this);
  }

  fitting(group: EventBytes): number {
    const room = this.#options.most() - this.#bytes;
    let count = 0;
    while (count < group.ends.length && (group.ends[count] ?? 0) + OVERHEAD_BYTES * (count + 1) <= room)
      count += 1;
    return count;
  }

  /** A group with reserved room is written, or failed: ends the reservation. */
  written(group: EventBytes): void {
    this.#reservedBytes -= bytesOf(group);
  }

  #take(group: EventBytes): boolean {
    const bytes = bytesOf(group);
    if (this.#bytes + bytes > this.#options.most() || bytes > this.#spareBytes) return false;
    this.#spareBytes -= bytes;
    this.#reservedBytes += bytes;
    return true;
  }

  get #bytes(): number {
    return this.#options.journal.bytes + this.#reservedBytes;
  }

  /** Returns false if there is nothing to give up, or only events that must be dropped last while `isLast` is false. */
  async #evictOldest(isLast: boolean): Promise<boolean> {
    const { journal } = this.#options;
    // If the journal holds only such events, do not rewrite it for each group that does not fit.
    if (journal.bytes < this.#bytesOfLast) {
      this.#bytesOfLast = Number.POSITIVE_INFINITY;
      const most = journal.bytes;
      for (let rescued = 0; rescued < most; ) {
        const before = rescued;
        const bytes = journal.bytes;
        const { isFreed, count } = await this.#giveUp(async (segment) => {
          rescued += await this.#options.rescue(segment);
        });
        // If less was freed than was rescued, it may only be the overhead of segments, which comes and goes with each rescue.
        if (isFreed && (count > 0 || bytes - journal.bytes >= rescued - before)) return true;
        if (rescued === before) return false;
      }
      this.#bytesOfLast = journal.bytes;
    }
    return isLast && (await this.#giveUp()).isFreed;
  }

  async #giveUp(
    rescue?: (segment: number) => Promise<void>,
  ): Promise<{ readonly isFreed: boolean; readonly count: number }> {
    const { evict, journal, reporter } = this.#options;
    let count = 0;
    const isFreed = await this.#free(async () => {
      const segment = await journal.evictOldest?.(rescue);
      count = typeof segment === 'number' ? evict(segment) : 0;
      reporter.settled('journal-full', count);
    });
    return { isFreed, count };
  }

  /** Counts the bytes that an action frees in the journal. Returns false if it frees none. */
  async #free(action: () => Promise<void>): Promise<boolean> {
    const { journal } = this.#options;
    const before = journal.bytes;
    await action();
    this.#spareBytes += before - journal.bytes;
    return journal.bytes < before;
  }

  #isCurrent(): boolean {
    if (this.#options.opened !== undefined && !this.#isOpened) return false;
    const age = this.#options.clock.now() - this.#lookedAt;
    return this.#options.journal.space === undefined || (age >= 0 && age < SPACE_INTERVAL_MS);
  }

  async #lookAtSpace(): Promise<void> {
    const { clock, journal, minFreeBytes } = this.#options;
    if (journal.space === undefined || this.#isCurrent()) return;
    try {
      const { freeBytes, totalBytes } = await journal.space();
      this.#spareBytes = freeBytes - Math.min(minFreeBytes, totalBytes * MOST_RESERVED);
    } catch {
      // Free space is unknown: writing will show whether there is enough.
      this.#spareBytes = Number.POSITIVE_INFINITY;
    }
    this.#lookedAt = clock.now();
  }
}

function bytesOf({ bytes, ends }: EventBytes): number {
  return bytes.length + OVERHEAD_BYTES * ends.length;
}
