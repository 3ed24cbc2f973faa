import { BATCH_OVERHEAD_BYTES, MAX_TIMER_MS } from '@sluice/protocol';
import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { DropReason } from '../base/fate.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal, Reading } from '../keep/journal.ts';
import type { SizeLimit } from '../pace/size-limit.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Backlog } from './backlog.ts';
import type { Batch } from './batch.ts';

export interface BatcherOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limit: Limit;
  readonly sizeLimit: SizeLimit;
  /** Whether no event may overtake another: what is stored is older than what is not. */
  readonly isStrict: boolean;
  /** How long an event may wait for others to be sent with, in milliseconds. */
  readonly maxWaitMs: number;
  /** How old an event may get, in milliseconds. */
  readonly maxAgeMs: number | undefined;
  /** A batch has become due by its age. */
  readonly onDue: () => void;
  /** Is told of events that were too old, and of stored ones that could not be read back intact. */
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** How often what waits is searched for events that are too old, as a part of the age that they may reach. */
const EXPIRY_CHECKS = 20;
/** When stored events that could not be read are tried again, in milliseconds. */
const HELD_MS = 1_000;

/**
 * Makes batches: of fresh events once there are enough of them by count, bytes or age, of stored ones at once.
 * Where both wait it takes turns, so that a backlog does not starve fresh events, nor they it.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  /** Until a batch is due by its age. */
  readonly #age: Alarm;
  /** Until it is seen again what is too old. */
  readonly #expiry: Alarm;
  /** While stored events are left alone. */
  readonly #hold: Alarm;
  #urgent = 0;
  #storedIsNext = true;

  constructor(options: BatcherOptions) {
    const { clock, onDue } = options;
    this.#options = options;
    this.#age = new Alarm(clock, onDue);
    this.#expiry = new Alarm(clock, onDue);
    this.#hold = new Alarm(clock, onDue);
  }

  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void {
    this.#urgent += 1;
    return () => {
      this.#urgent -= 1;
    };
  }

  /** Whether there is a batch that is due; if not, `onDue` is called when one becomes due by its age. */
  get isDue(): boolean {
    const { backlog } = this.#options;
    const isStored = backlog.peekStored() !== undefined || backlog.peekStored(true) !== undefined;
    return (isStored && !this.#hold.isSet) || this.#freshIsDue();
  }

  /**
   * The next batch that is due, or undefined; then `onDue` is called when one becomes due by its age.
   *
   * @param maxEvents Bound of this batch beside the limit.
   * @param takesAside Whether a batch that was put aside may be sent again.
   */
  async next(
    maxEvents: number = Number.POSITIVE_INFINITY,
    takesAside: boolean = false,
  ): Promise<Batch | undefined> {
    const { backlog, isStrict } = this.#options;
    const most = this.#limit;
    const limit = { ...most, maxEvents: Math.min(most.maxEvents, maxEvents) };
    while (takesAside && !this.#hold.isSet && backlog.peekStored(true) !== undefined) {
      const batch = await this.#readStored(limit, true);
      if (batch !== undefined) return batch;
    }
    for (;;) {
      const freshIsDue = this.#freshIsDue();
      const isStored = backlog.peekStored() !== undefined;
      const storedIsNext = isStrict || this.#storedIsNext || !freshIsDue;
      if (isStrict && this.#hold.isSet && isStored) return undefined;
      if (isStored && !this.#hold.isSet && storedIsNext) {
        this.#storedIsNext = false;
        const batch = await this.#readStored(limit);
        if (batch !== undefined) return batch;
      } else if (freshIsDue) {
        this.#storedIsNext = true;
        this.#age.cancel();
        return backlog.takeFresh(limit);
      } else {
        return undefined;
      }
    }
  }

  /** Drops the oldest of what waits, as far as it is too old to be sent. */
  async dropExpired(): Promise<void> {
    const { backlog, clock, limit, maxAgeMs } = this.#options;
    if (maxAgeMs === undefined) return;
    if (backlog.pending === 0) return this.#expiry.cancel();
    const before = clock.now() - maxAgeMs;
    for (let count = backlog.freshBefore(before, limit); count > 0; ) {
      await this.expire(backlog.takeFresh({ ...limit, maxEvents: count }));
      count = backlog.freshBefore(before, limit);
    }
    while (!this.#hold.isSet && (await this.#expireStored(before)));
    this.#expiry.set(Math.ceil(maxAgeMs / EXPIRY_CHECKS));
  }

  /** How long until all events of a batch are too old to be sent, in milliseconds; undefined where they never are. */
  expiresInMs({ events }: Batch): number | undefined {
    const { clock, maxAgeMs } = this.#options;
    const newest = events.times?.at(-1);
    if (maxAgeMs === undefined || newest === undefined || Number.isNaN(newest)) return undefined;
    const leftMs = Math.max(0, newest + maxAgeMs + 1 - clock.now());
    // Longer than a timer takes, as after the clock was set back: it is asked again with the next batch.
    return leftMs > MAX_TIMER_MS ? undefined : leftMs;
  }

  /** The events of a batch end here: they are too old. */
  async expire(batch: Batch): Promise<void> {
    const { backlog, journal, reporter } = this.#options;
    const { range } = batch;
    backlog.settle(batch);
    reporter.settled('expired', rangeLength(range));
    await journal.acknowledge(range, 'expired');
  }

  /** The oldest events in memory, due or not, as a batch whose body has at most so many bytes; undefined where not one fits. */
  takeNow(maxBytes: number, maxEvents: number = Number.POSITIVE_INFINITY): Batch | undefined {
    const { backlog } = this.#options;
    const most = this.#limit;
    const room = Math.min(most.maxBytes, maxBytes - BATCH_OVERHEAD_BYTES);
    if (backlog.oldestBytes > room) return undefined;
    return backlog.takeFresh({ maxEvents: Math.min(most.maxEvents, maxEvents), maxBytes: room });
  }

  /** Leaves stored events alone for a while, because they cannot be read now; then `onDue` is called. */
  holdStored(): void {
    const { backlog, isStrict } = this.#options;
    // Others may be readable.
    if (!isStrict) {
      backlog.rotateStored();
      backlog.rotateStored(true);
    }
    this.#hold.set(HELD_MS);
  }

  /** Cancels the timers. */
  stop(): void {
    for (const alarm of [this.#age, this.#expiry, this.#hold]) alarm.cancel();
  }

  /** What a batch may hold now. */
  get #limit(): Limit {
    const { limit, sizeLimit } = this.#options;
    return {
      ...limit,
      maxBytes: Math.max(1, Math.min(limit.maxBytes, sizeLimit.bytes - BATCH_OVERHEAD_BYTES)),
    };
  }

  #freshIsDue(): boolean {
    const { backlog, clock, maxWaitMs } = this.#options;
    const limit = this.#limit;
    const oldestAt = backlog.oldestAt;
    if (backlog.fresh === 0 || oldestAt === undefined) return false;
    if (this.#urgent > 0 || backlog.fresh >= limit.maxEvents || backlog.bytes >= limit.maxBytes) return true;
    const waitMs = oldestAt + maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > maxWaitMs) return true;
    this.#age.set(waitMs);
    return false;
  }

  async #readStored(limit: Limit, isAside = false): Promise<Batch | undefined> {
    const reading = await this.#read(limit, isAside);
    if (reading === undefined) return undefined;
    if (reading.events.ends.length > 0) return this.#options.backlog.takeStored(reading, isAside);
    await this.#dropStored('damaged', reading.range);
    return undefined;
  }

  /** Drops the oldest stored events that are too old. False where there are no more. */
  async #expireStored(before: number): Promise<boolean> {
    const { events, range } = (await this.#read(this.#options.limit)) ?? {};
    const fresh = events?.times?.findIndex((time) => !(time < before)) ?? 0;
    const count = fresh < 0 ? (events?.ends.length ?? 0) : fresh;
    if (range === undefined || count === 0) return false;
    await this.#dropStored('expired', { ...range, to: range.from + count });
    return true;
  }

  async #dropStored(reason: DropReason, range: Range): Promise<void> {
    const { backlog, journal, reporter } = this.#options;
    reporter.settled(reason, backlog.end(range));
    await journal.acknowledge(range, reason);
  }

  /** Reads the oldest stored events, which stay where they are. */
  async #read(limit: Limit, isAside = false): Promise<Reading | undefined> {
    const { backlog, journal } = this.#options;
    const asked = backlog.peekStored(isAside);
    if (asked === undefined) return undefined;
    const reading = await journal.read(asked, limit);
    if (rangeLength(reading.range) < 1) {
      throw new StorageError('the journal found nothing of what it holds');
    }
    const { segment, from, to = 0 } = backlog.peekStored(isAside) ?? {};
    // Given up or lost by the journal while it was read.
    const isThere = segment === asked.segment && from === asked.from && to >= reading.range.to;
    return isThere ? reading : undefined;
  }
}
