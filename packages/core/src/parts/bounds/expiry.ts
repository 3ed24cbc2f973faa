import { type Clock, MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Limit } from '../../base/event-bytes.ts';
import { NO_LANES } from '../../wait/lanes/lane.ts';
import type { Expiry, Line } from '../../wait/line.ts';
import type { Parcel } from '../../wait/parcel.ts';
import type { Waiting } from '../../wait/waiting.ts';

/** How often to look for events that are too old, as a part of the age that they may reach. */
const CHECKS = 20;

interface AgeLimitsOptions {
  readonly clock: Clock;
  readonly waiting: Waiting;
  /** How much is taken at once. */
  readonly batch: Limit;
  /** How old an event may get, in milliseconds. */
  readonly maxAgeMs: number;
  /** It is time to look again. */
  readonly onDue: () => void;
}

/** Drops the events that are too old to be sent. */
export class AgeLimits implements Expiry {
  readonly #options: AgeLimitsOptions;
  readonly #lines = new Map<Line, AgeLimit>();

  constructor(options: AgeLimitsOptions) {
    this.#options = options;
  }

  async dropExpired(): Promise<void> {
    for (const line of this.#options.waiting.lines) {
      if (line.isHeld) continue;
      const known = this.#lines.get(line) ?? new AgeLimit(line, this.#options);
      this.#lines.set(line, known);
      try {
        await known.dropExpired();
      } catch (error) {
        line.leaveStored(error);
      }
    }
  }

  expiresInMs({ contents }: Parcel): number | undefined {
    const { clock, maxAgeMs } = this.#options;
    const newest = contents.timeOf(contents.count - 1);
    if (newest === undefined || Number.isNaN(newest)) return undefined;
    const leftMs = Math.max(0, newest + maxAgeMs + 1 - clock.now());
    // Longer than a timer takes, as after the clock was set back: it is asked again with the next request.
    return leftMs > MAX_TIMER_MS ? undefined : leftMs;
  }

  stop(): void {
    for (const limit of this.#lines.values()) limit.stop();
  }
}

/** Drops those of one priority. */
class AgeLimit {
  readonly #line: Line;
  readonly #options: AgeLimitsOptions;
  readonly #alarm: Alarm;

  constructor(line: Line, options: AgeLimitsOptions) {
    this.#line = line;
    this.#options = options;
    this.#alarm = new Alarm(options.clock, options.onDue);
  }

  /** Rejects with a StorageError if stored events cannot be read. */
  async dropExpired(): Promise<void> {
    const { batch, clock, maxAgeMs, waiting } = this.#options;
    const { queue } = this.#line;
    const sendsUnwritten = () => waiting.commit.sendsUnwritten;
    if (queue.fresh + queue.stored === 0) return this.#alarm.cancel();
    const before = clock.now() - maxAgeMs;
    while (!this.#alarm.isStopped) {
      // What would be taken next: the oldest may have to wait until it is written.
      const [next] = queue.ready({ ...batch, maxEvents: 1 }, sendsUnwritten(), NO_LANES).parcels;
      const count = next ? expired(next, before) : 0;
      const parcel =
        count > 0 ? queue.takeFresh({ ...batch, maxEvents: count }, sendsUnwritten(), NO_LANES) : undefined;
      if (parcel === undefined) break;
      await waiting.end(parcel, 'expired');
    }
    while (!this.#alarm.isStopped && (await this.#dropStored(before)));
    this.#alarm.set(Math.min(maxAgeMs / CHECKS, MAX_TIMER_MS));
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Returns false if the oldest stored events are not too old. */
  async #dropStored(before: number): Promise<boolean> {
    const { batch, waiting } = this.#options;
    const { queue, readOld } = this.#line;
    const { first } = queue.old;
    if (first === undefined || (first.at !== undefined && first.at >= before)) return false;
    const parcel = await readOld(batch, NO_LANES);
    // What could not be read is gone, or changed meanwhile: the next ones may be too old.
    if (parcel === undefined) return queue.old.first !== undefined;
    const count = expired(parcel, before);
    if (count === 0) {
      queue.putBack(parcel, 'first');
      return false;
    }
    const [old, rest] = count < parcel.count ? queue.split(parcel, count) : [parcel];
    if (rest) queue.putBack(rest, 'first');
    await waiting.end(old, 'expired');
    return true;
  }
}

/** How many of the first events are too old. */
function expired({ contents }: Parcel, before: number): number {
  let count = 0;
  for (; count < contents.count; count += 1) if (!((contents.timeOf(count) ?? Number.NaN) < before)) break;
  return count;
}
