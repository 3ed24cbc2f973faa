import type { Clock } from '@sluice/protocol/toolbox';
import type { EventBytes } from '../base/event-bytes.ts';
import { allOf, type Range, type Span } from '../base/range.ts';
import { Turns } from '../base/turns.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Journal } from './journal.ts';

export interface BudgetOptions {
  readonly journal: Pick<Journal, 'bytes' | 'evictOldest' | 'oldest' | 'groupLimit' | 'reclaim' | 'space'>;
  readonly waiting: {
    /** Whether nothing may be written any more: the tracker counted what the journal does not have as `closed`. */
    readonly isGivenUp: boolean;
    /** Drops the events that wait in a range that the journal gave up. Returns how many. */
    evict(gone: Range): number;
    /** Whether events wait in a segment, and all of them are probably at fault. */
    hasOnlyAlone(segment: number): boolean;
    /**
     * Copies the events that must be dropped last from a range that is about to be given up. Returns how many bytes.
     *
     * @param isAll Copies all events, and rejects if that fails.
     */
    rescue(gone: Range, isAll: boolean): Promise<number>;
  };
  readonly clock: Clock;
  /** Resolves once the journal knows what previous processes left in it. */
  readonly opened: () => Promise<void>;
  readonly storage: {
    /** Maximum size of the journal, in bytes. Default: 1 GiB, or a part of a smaller disk; none if the disk is not known. */
    readonly maxBytes?: number | undefined;
    readonly minFreeBytes: number;
    readonly whenFull: 'drop-oldest' | 'drop-newest';
  };
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** Default of `storage.maxBytes` in Node, if that is less than `MOST_OF_DISK`. */
export const MOST_BYTES: number = 2 ** 30;
/** A journal without a limit of its own may take this part of its disk. */
export const MOST_OF_DISK = 0.1;
/** At most this part of a disk is kept free: a small one would have no room for events. */
const MOST_RESERVED = 0.05;
const SPACE_INTERVAL_MS = 1_000;
/** After a process has written this part of the limit, it measures again: others may write as well. */
const MEASUREMENTS = 64;
/** The most bytes that an event takes in the journal beside its own. */
const OVERHEAD_BYTES = 32;

/** Keeps the journal within the limits of `storage`. Asked before each write. */
export class Budget {
  readonly #options: BudgetOptions;
  /** Maximum size of the journal and of `#otherBytes`. */
  #most: number;
  /** What other processes have in the same place, as last measured. */
  #otherBytes: number | undefined;
  /** Bytes that may be written before others have too little disk space. Measured from time to time. */
  #spareBytes = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Bytes that were granted since then. */
  #grantedBytes = 0;
  /** Bytes of appends in progress: the journal does not count them yet. */
  #reservedBytes = 0;
  /** Whether the size of the journal is known, as far as that matters. */
  #isOpened: boolean;
  /** One lane makes room at a time. If two gave up the same segment at once, it would be rescued and counted twice. */
  readonly #turns = new Turns();
  /** Settles once the journal has given up a segment. Meanwhile it finds nothing in it. Undefined if it gives up none. */
  givingUp: Promise<boolean> | undefined;
  /** Bytes of the journal when only events that must be dropped last waited in it. */
  #bytesOfLast = Number.POSITIVE_INFINITY;

  constructor(options: BudgetOptions) {
    const { maxBytes } = options.storage;
    this.#options = options;
    this.#most = maxBytes ?? (options.journal.space ? MOST_BYTES : Number.POSITIVE_INFINITY);
    this.#isOpened = maxBytes === undefined;
  }

  /**
   * Makes room for a group and reserves it until `written` is called.
   * - `room`: the group may be written.
   * - `full`: there is no room. The group must be dropped.
   * - `low`: the disk has too little space left for other programs, and the journal has nothing on it to give up.
   *
   * @param isLast Whether events like these are given up last. Older ones of the same kind are then given up once there are
   *   no others.
   */
  makeRoom(group: EventBytes, isLast: boolean = false): Promise<'room' | 'full' | 'low'> {
    return this.#turns.take(async () => {
      if (!this.#isOpened) await this.#options.opened();
      this.#isOpened = true;
      // A group that can never fit must not push out all others.
      if (bytesOf(group) > this.#most) return 'full';
      if (!this.#isCurrent) await this.#look();
      if (this.#take(group)) return 'room';
      await this.#reclaim();
      while (!this.#take(group)) {
        if (await this.#evictOldest(isLast)) continue;
        return this.#bytes + bytesOf(group) > this.#most ? 'full' : 'low';
      }
      return 'room';
    });
  }

  /** Whether there is room for a group. If so, reserves it until `written` is called. False also if nobody looked recently. */
  hasRoom(group: EventBytes): boolean {
    return !this.#options.waiting.isGivenUp && this.#isOpened && this.#isCurrent && this.#take(group);
  }

  /** How many events of a group, from the first one on, there is room for. */
  fitting(group: EventBytes): number {
    const room = this.#most - this.#bytes;
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
    if (this.#bytes + bytes > this.#most || bytes > this.#spareBytes) return false;
    this.#spareBytes -= bytes;
    this.#reservedBytes += bytes;
    this.#grantedBytes += bytes;
    return true;
  }

  get #bytes(): number {
    return this.#options.journal.bytes + (this.#otherBytes ?? 0) + this.#reservedBytes;
  }

  /** Frees what nobody needs, before events are given up: deletes damaged files, and counts what others have released. */
  async #reclaim(): Promise<void> {
    const { journal, opened } = this.#options;
    await opened();
    const tooMuch = this.#bytes + journal.groupLimit.maxBytes - this.#most;
    await this.#free(async () => journal.reclaim?.(Math.max(0, tooMuch)));
    if (this.#otherBytes !== undefined) await this.#look();
  }

  /**
   * Returns false if there is nothing to give up, or only events that must be dropped last while `isLast` is false. With `drop-newest`,
   * it only copies events that are probably at fault, so that each of them does not hold on to a segment.
   */
  async #evictOldest(isLast: boolean): Promise<boolean> {
    const { journal, storage, waiting } = this.#options;
    const mayDrop = storage.whenFull === 'drop-oldest';
    const isSuspect = () => journal.oldest !== undefined && waiting.hasOnlyAlone(journal.oldest);
    // If the journal holds only such events, do not rewrite it for each group that does not fit.
    if (journal.bytes < this.#bytesOfLast) {
      this.#bytesOfLast = Number.POSITIVE_INFINITY;
      const most = journal.bytes;
      for (let rescued = 0; rescued < most; ) {
        if (!mayDrop && !isSuspect()) return false;
        const before = rescued;
        const bytes = journal.bytes;
        const { isFreed, count } = await this.#giveUp(async (segment, part) => {
          rescued += await waiting.rescue({ ...allOf(segment), ...part }, !mayDrop);
        });
        // If less was freed than was rescued, it may only be the overhead of segments, which comes and goes with each rescue.
        if (isFreed && (count > 0 || bytes - journal.bytes >= rescued - before)) return true;
        if (rescued === before) return false;
      }
      this.#bytesOfLast = journal.bytes;
    }
    return mayDrop && (isLast || isSuspect()) && (await this.#giveUp()).isFreed;
  }

  async #giveUp(rescue?: (segment: number, part?: Span) => Promise<void>) {
    const { journal, reporter, waiting } = this.#options;
    let count = 0;
    this.givingUp = this.#free(async () => {
      const segment = waiting.isGivenUp ? undefined : await journal.evictOldest?.(rescue);
      count = typeof segment === 'number' ? waiting.evict(allOf(segment)) : 0;
      reporter.settled('journal-full', count);
    });
    const isFreed = await this.givingUp.finally(() => {
      this.givingUp = undefined;
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

  get #isCurrent(): boolean {
    const { clock, journal } = this.#options;
    const age = clock.now() - this.#lookedAt;
    const isRecent = age >= 0 && age < SPACE_INTERVAL_MS && this.#grantedBytes < this.#most / MEASUREMENTS;
    return journal.space === undefined || isRecent;
  }

  /** Measures the disk, and what others have on it. */
  async #look(): Promise<void> {
    const { clock, journal, storage } = this.#options;
    this.#grantedBytes = 0;
    try {
      const space = await journal.space?.();
      if (!space) return;
      const { freeBytes, otherBytes, totalBytes } = space;
      this.#otherBytes = otherBytes ?? this.#otherBytes;
      this.#spareBytes = freeBytes - Math.min(storage.minFreeBytes, totalBytes * MOST_RESERVED);
      this.#most = storage.maxBytes ?? Math.min(MOST_BYTES, totalBytes * MOST_OF_DISK);
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
