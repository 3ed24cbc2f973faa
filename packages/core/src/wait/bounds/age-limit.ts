import { type Clock, MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Limit } from '../../base/event-bytes.ts';
import type { Line } from '../line.ts';
import type { Parcel } from '../parcel.ts';

/** In place of the busy lanes: none is busy for events that are to end. */
const NO_LANES = 0;
/** How often to look for events that are too old, as a part of the age that they may reach. */
const CHECKS = 20;

interface AgeLimitOptions {
  readonly clock: Clock;
  readonly lines: readonly Line[];
  /** Whether events may be sent that no journal has. */
  readonly sendsUnwritten: () => boolean;
  /** They are too old. */
  readonly end: (parcel: Parcel) => Promise<void>;
  /** How much is taken at once. */
  readonly batch: Limit;
  /** How old an event may get, in milliseconds. */
  readonly maxAgeMs: number;
  /** It is time to look again. */
  readonly onDue: () => void;
}

/** Drops the events that are too old to be sent. */
export class AgeLimit {
  readonly #options: AgeLimitOptions;
  readonly #alarm: Alarm;

  constructor(options: AgeLimitOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, options.onDue);
  }

  /** Never rejects. */
  async dropExpired(): Promise<void> {
    const { clock, lines, maxAgeMs } = this.#options;
    if (maxAgeMs === Number.POSITIVE_INFINITY) return;
    const before = clock.now() - maxAgeMs;
    const isEmpty = ({ queue }: Line) => queue.ring.count + queue.old.count === 0;
    if (lines.every(isEmpty)) return this.#alarm.cancel();
    for (const line of lines) {
      if (line.isHeld) continue;
      try {
        while (!this.#alarm.isStopped && (await this.#dropFresh(line, before)));
        while (!this.#alarm.isStopped && (await this.#dropStored(line, before)));
      } catch (error) {
        line.leaveStored(error);
      }
    }
    this.#alarm.set(Math.min(maxAgeMs / CHECKS, MAX_TIMER_MS));
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs({ contents }: Parcel): number | undefined {
    const { clock, maxAgeMs } = this.#options;
    const newest = contents.timeOf(contents.count - 1);
    if (newest === undefined || Number.isNaN(newest)) return undefined;
    const leftMs = Math.max(0, newest + maxAgeMs + 1 - clock.now());
    // Longer than a timer takes, as after the clock was set back: it is asked again with the next request.
    return leftMs > MAX_TIMER_MS ? undefined : leftMs;
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Returns false if what would be sent next is not too old. The oldest may have to wait until it is written. */
  async #dropFresh({ queue }: Line, before: number): Promise<boolean> {
    const { batch, end } = this.#options;
    const sendsUnwritten = this.#options.sendsUnwritten();
    const [next] = queue.ready({ ...batch, maxEvents: 1 }, sendsUnwritten, NO_LANES).parcels;
    const count = next ? expired(next, before) : 0;
    const old =
      count > 0 ? queue.takeFresh({ ...batch, maxEvents: count }, sendsUnwritten, NO_LANES) : undefined;
    if (old) await end(old);
    return old !== undefined;
  }

  /** Returns false if the oldest stored events are not too old. Rejects with a StorageError if they cannot be read. */
  async #dropStored(line: Line, before: number): Promise<boolean> {
    const { batch, end } = this.#options;
    const { queue } = line;
    const { first } = queue.old;
    if (first === undefined || (first.at !== undefined && first.at >= before)) return false;
    const parcel = await line.readOld(batch, NO_LANES);
    // What could not be read is gone, or changed meanwhile: the next ones may be too old.
    if (parcel === undefined) return queue.old.first !== undefined;
    const count = expired(parcel, before);
    if (count === 0) {
      queue.putBack(parcel, 'first');
      return false;
    }
    const [old, rest] = queue.split(parcel, count);
    if (rest) queue.putBack(rest, 'first');
    await end(old);
    return true;
  }
}

/** How many of the first events are too old. */
function expired({ contents }: Parcel, before: number): number {
  let count = 0;
  for (; count < contents.count; count += 1) if (!((contents.timeOf(count) ?? Number.NaN) < before)) break;
  return count;
}
