import type { TrackerStats } from './stats.ts';

/** Counters that only grow. */
type Counters = Pick<TrackerStats, 'accepted' | 'delivered'>;

const INTERVAL_MS = 1_000;
const WINDOW_MS = 10_000;
const MAX_SAMPLES = WINDOW_MS / INTERVAL_MS + 1;

/** The rates of counters over the last ten seconds, computed from samples of the counters. */
export class RateMeter {
  readonly #samples: (Counters & { readonly at: number })[] = [];

  /** Takes a sample. Does nothing if the last one is less than a second old. */
  sample({ accepted, delivered }: Counters, now: number): void {
    const ageMs = now - (this.#samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
    if (ageMs >= 0 && ageMs < INTERVAL_MS) return;
    // The time of day was set back.
    if (ageMs < 0) this.#samples.length = 0;
    this.#samples.push({ at: now, accepted, delivered });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** Takes a sample too. */
  perSecond(counters: Counters, now: number): TrackerStats['rates'] {
    this.sample(counters, now);
    const from = this.#samples.find(({ at }) => now - at <= WINDOW_MS) ?? { ...counters, at: now };
    const seconds = Math.max(1, (now - from.at) / 1_000);
    return {
      acceptedPerSecond: (counters.accepted - from.accepted) / seconds,
      deliveredPerSecond: (counters.delivered - from.delivered) / seconds,
    };
  }
}
