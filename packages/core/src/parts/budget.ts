import type { Clock } from '../base/clock.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import { Turns } from '../base/turns.ts';
import type { Journal } from '../keep/journal.ts';
import type { Room } from '../keep/room.ts';
import type { Reporter } from '../tell/reporter.ts';

/** What goes first where the journal has no room. */
export type WhenFull = 'drop-oldest' | 'drop-newest';

export interface BudgetOptions {
  readonly journal: Journal;
  /** What waits in a segment that the journal gave up ends here. Returns how many events that are. */
  readonly evict: (segment: number) => number;
  /** Writes what is to be given up last of a segment to another one. Returns how many bytes that are. */
  readonly rescue: (segment: number) => Promise<number>;
  readonly clock: Clock;
  /** Resolves once the journal knows what it holds of earlier lives. Left out where it does from the start. */
  readonly opened?: () => Promise<void>;
  /** What the journal may take, in bytes. */
  readonly maxBytes: number;
  /** What the journal leaves to others on its disk, in bytes. */
  readonly minFreeBytes: number;
  readonly whenFull: WhenFull;
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** A small disk is not wholly reserved for others: the floor is at most this part of it. */
const MOST_RESERVED = 0.05;
const SPACE_INTERVAL_MS = 1_000;
/** What an event takes in the journal beside itself, at most. */
const OVERHEAD_BYTES = 32;

/** Keeps the journal within the bounds of `storage`. */
export class Budget implements Room {
  readonly #options: BudgetOptions;
  /** Bytes that may be written before others have too little; looked up from time to time. */
  #spareBytes = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Bytes that are being written: the journal does not count them yet. */
  #reservedBytes = 0;
  #isOpened = false;
  /** One lane after the other: a segment that two give up at once would be rescued, and counted, twice. */
  readonly #turns = new Turns();
  /** What the journal took when all that waited in it was to be given up last. */
  #bytesOfLast = Number.POSITIVE_INFINITY;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  makeRoom(group: EventBytes, isLast = false): Promise<'room' | 'full' | 'low'> {
    return this.#turns.take(() => this.#makeRoom(group, isLast));
  }

  async #makeRoom(group: EventBytes, isLast: boolean): Promise<'room' | 'full' | 'low'> {
    const { journal, maxBytes, whenFull } = this.#options;
    await this.#options.opened?.();
    this.#isOpened = true;
    // One that could never fit is not to cost all others.
    if (bytesOf(group) > maxBytes) return 'full';
    await this.#lookAtSpace();
    if (this.#take(group)) return 'room';
    await this.#free(async () => journal.reclaim?.());
    while (!this.#take(group)) {
      if (whenFull === 'drop-oldest' && (await this.#evictOldest(isLast))) continue;
      return this.#bytes + bytesOf(group) > maxBytes ? 'full' : 'low';
    }
    return 'room';
  }

  /** False also where the disk was not looked at for a while. */
  hasRoom(group: EventBytes): boolean {
    return this.#isCurrent() && this.#take(group);
  }

  fitting(group: EventBytes): number {
    const room = this.#options.maxBytes - this.#bytes;
    let count = 0;
    while (count < group.ends.length && (group.ends[count] ?? 0) + OVERHEAD_BYTES * (count + 1) <= room)
      count += 1;
    return count;
  }

  /** A group for which room was reserved is written, or was not. */
  written(group: EventBytes): void {
    this.#reservedBytes -= bytesOf(group);
  }

  #take(group: EventBytes): boolean {
    const bytes = bytesOf(group);
    if (this.#bytes + bytes > this.#options.maxBytes || bytes > this.#spareBytes) return false;
    this.#spareBytes -= bytes;
    this.#reservedBytes += bytes;
    return true;
  }

  get #bytes(): number {
    return this.#options.journal.bytes + this.#reservedBytes;
  }

  /** False where there was nothing to give up, or nothing but what is to be given up last and `isLast` is not. */
  async #evictOldest(isLast: boolean): Promise<boolean> {
    const { journal } = this.#options;
    // A journal of nothing else is not written anew for each group that does not fit.
    if (journal.bytes < this.#bytesOfLast) {
      this.#bytesOfLast = Number.POSITIVE_INFINITY;
      const most = journal.bytes;
      for (let rescued = 0; rescued < most; ) {
        const before = rescued;
        const bytes = journal.bytes;
        const { isFreed, count } = await this.#giveUp(async (segment) => {
          rescued += await this.#options.rescue(segment);
        });
        // Less than what was rescued may be no more than the ends of segments, which come and go with each rescue.
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

  /** Counts what the journal gives back. False where that is nothing. */
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
      // Unknown: writing will tell.
      this.#spareBytes = Number.POSITIVE_INFINITY;
    }
    this.#lookedAt = clock.now();
  }
}

function bytesOf({ bytes, ends }: EventBytes): number {
  return bytes.length + OVERHEAD_BYTES * ends.length;
}
