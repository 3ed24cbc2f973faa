import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol';
import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Limits } from '../pace/limits.ts';
import type { Parcel } from './parcel.ts';
import type { Queue } from './queue.ts';
import type { Reader } from './reader.ts';

interface BatcherOptions {
  readonly queue: Queue;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly limit: Limit;
  readonly limits: Pick<Limits, 'bytes' | 'events'>;
  /** Whether no event may overtake another: what is stored is older than what is not. */
  readonly isStrict: boolean;
  /** How long an event may wait for others to be sent with, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether events need not wait for others now. */
  readonly isUrgent: () => boolean;
  /** Whether events may be sent that no journal has, because it fails. */
  readonly sendsUnwritten: () => boolean;
  /** A parcel has become due by its age, or stored events may be readable again. */
  readonly onDue: () => void;
}

/** Stored events that could not be read are tried again after this time, in milliseconds. */
const HELD_MS = 1_000;

/**
 * Decides which parcel is due: fresh ones by count, bytes or age, stored ones at once. If both wait it takes turns, so that
 * neither starves.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  /** Rings when the oldest fresh event has waited long enough. */
  readonly #age: Alarm;
  /** Set while stored events are left alone. */
  readonly #hold: Alarm;
  #storedIsNext = true;

  constructor(options: BatcherOptions) {
    const { clock, onDue } = options;
    this.#options = options;
    this.#age = new Alarm(clock, onDue);
    this.#hold = new Alarm(clock, onDue);
  }

  /** Whether stored events are left alone, because they could not be read. */
  get isHeld(): boolean {
    return this.#hold.isSet;
  }

  /** Whether a parcel is due; if not, `onDue` is called when one becomes due by its age. */
  get isDue(): boolean {
    return this.#oldIsDue || this.#freshIsDue();
  }

  /**
   * The next parcel that is due, or undefined; then `onDue` is called when one becomes due by its age.
   *
   * @param maxEvents Bound of this parcel beside the limit.
   */
  async next(maxEvents: number): Promise<Parcel | undefined> {
    const { isStrict, queue, reader, sendsUnwritten } = this.#options;
    const limit = this.limit(maxEvents);
    for (;;) {
      const freshIsDue = this.#freshIsDue();
      const storedIsNext = isStrict || this.#storedIsNext || !freshIsDue;
      if (isStrict && queue.old.count > 0 && this.#hold.isSet) return undefined;
      if (storedIsNext && this.#oldIsDue) {
        this.#storedIsNext = false;
        const parcel = await reader.take(limit);
        if (parcel) return parcel;
      } else if (freshIsDue) {
        this.#storedIsNext = true;
        this.#age.cancel();
        return queue.takeFresh(limit, sendsUnwritten());
      } else {
        return undefined;
      }
    }
  }

  /** What a parcel may have now. */
  limit(maxEvents: number, maxBytes: number = Number.POSITIVE_INFINITY): Limit {
    const { limit, limits } = this.#options;
    const most = Math.min(limits.bytes.most, maxBytes) - BATCH_OVERHEAD_BYTES;
    return {
      maxEvents: Math.min(limit.maxEvents, maxEvents, limits.events?.most ?? maxEvents),
      maxBytes: Math.max(1, Math.min(limit.maxBytes, most)),
    };
  }

  /** Leaves stored events alone for a while, because they cannot be read now; then `onDue` is called. */
  holdStored(): void {
    const { isStrict, queue } = this.#options;
    const { first } = queue.old;
    // Others may be readable.
    if (first && !isStrict && !queue.lanes) {
      queue.takeOld(first);
      queue.old.push(first);
    }
    this.#hold.set(HELD_MS);
  }

  get isStopped(): boolean {
    return this.#age.isStopped;
  }

  stop(): void {
    this.#age.stop();
    this.#hold.stop();
  }

  get #oldIsDue(): boolean {
    const { queue } = this.#options;
    return !this.#hold.isSet && queue.isOldReady;
  }

  #freshIsDue(): boolean {
    const { queue, clock, isUrgent, maxWaitMs, sendsUnwritten } = this.#options;
    const limit = this.limit(Number.POSITIVE_INFINITY);
    const { parcels, isFull } = queue.ready(limit, sendsUnwritten());
    const [first] = parcels;
    if (first === undefined) return false;
    if (isFull || isUrgent()) return true;
    const waitMs = (first.at ?? 0) + maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > maxWaitMs) return true;
    this.#age.set(waitMs);
    return false;
  }
}
