import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Expiry, ExpiryOptions } from '../../wait/line.ts';
import type { Parcel } from '../../wait/parcel.ts';

/** How often to look for events that are too old, as a part of the age that they may reach. */
const CHECKS = 20;
/** Old events end, whatever else of their customers is being sent. */
const NONE_BUSY = 0;

/** Drops the events of one queue that are too old to be sent. */
export class AgeLimit implements Expiry {
  readonly #options: ExpiryOptions;
  readonly #maxAgeMs: number;
  readonly #alarm: Alarm;

  /** @param maxAgeMs How old an event may get, in milliseconds. */
  constructor(options: ExpiryOptions, maxAgeMs: number) {
    this.#options = options;
    this.#maxAgeMs = maxAgeMs;
    this.#alarm = new Alarm(options.clock, options.onDue);
  }

  /** Rejects with a StorageError if stored events cannot be read. */
  async dropExpired(): Promise<void> {
    const { clock, end, limit, queue, sendsUnwritten } = this.#options;
    const maxAgeMs = this.#maxAgeMs;
    if (queue.fresh + queue.stored === 0) return this.#alarm.cancel();
    const before = clock.now() - maxAgeMs;
    while (!this.#alarm.isStopped) {
      // What would be taken next: the oldest may have to wait until it is written.
      const [next] = queue.ready({ ...limit, maxEvents: 1 }, sendsUnwritten(), NONE_BUSY).parcels;
      const count = next ? expired(next, before) : 0;
      const parcel =
        count > 0 ? queue.takeFresh({ ...limit, maxEvents: count }, sendsUnwritten(), NONE_BUSY) : undefined;
      if (parcel === undefined) break;
      await end(parcel, 'expired');
    }
    while (!this.#alarm.isStopped && (await this.#dropStored(before)));
    this.#alarm.set(Math.ceil(maxAgeMs / CHECKS));
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs({ contents }: Parcel): number | undefined {
    const { clock } = this.#options;
    const newest = contents.timeOf(contents.count - 1);
    if (newest === undefined || Number.isNaN(newest)) return undefined;
    const leftMs = Math.max(0, newest + this.#maxAgeMs + 1 - clock.now());
    // Longer than a timer takes, as after the clock was set back: it is asked again with the next request.
    return leftMs > MAX_TIMER_MS ? undefined : leftMs;
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Returns false if the oldest stored events are not too old. */
  async #dropStored(before: number): Promise<boolean> {
    const { end, limit, queue, reader } = this.#options;
    const { first } = queue.old;
    if (first === undefined || (first.at !== undefined && first.at >= before)) return false;
    const parcel = await reader.take(limit, NONE_BUSY);
    // What could not be read is gone, or changed meanwhile: the next ones may be too old.
    if (parcel === undefined) return queue.old.first !== undefined;
    const count = expired(parcel, before);
    if (count === 0) {
      queue.putBack(parcel, 'first');
      return false;
    }
    const [old, rest] = count < parcel.count ? queue.split(parcel, count) : [parcel];
    if (rest) queue.putBack(rest, 'first');
    await end(old, 'expired');
    return true;
  }
}

/** How many of the first events are too old. */
function expired({ contents }: Parcel, before: number): number {
  let count = 0;
  for (; count < contents.count; count += 1) if (!((contents.timeOf(count) ?? Number.NaN) < before)) break;
  return count;
}
