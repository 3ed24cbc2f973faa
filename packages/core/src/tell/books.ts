import type { DropReason } from '../base/fate.ts';
import type { TrackerStats } from './stats.ts';

const INTERVAL_MS = 1_000;
const WINDOW_MS = 10_000;
const MAX_SAMPLES = WINDOW_MS / INTERVAL_MS + 1;

/** Counts what became of all events. At every moment: `accepted + recovered = delivered + deadLettered + dropped + pending`. */
export class Books {
  accepted = 0;
  recovered = 0;
  delivered = 0;
  deadLettered = 0;
  invalid = 0;
  maybeDuplicate = 0;
  readonly dropped: Record<DropReason, number> = {
    'buffer-full': 0,
    'journal-full': 0,
    expired: 0,
    closed: 0,
    damaged: 0,
    refused: 0,
    unidentified: 0,
    'identity-expired': 0,
    denied: 0,
    filtered: 0,
    sampled: 0,
  };
  /** What was counted at some moments of the last ten seconds. */
  readonly #samples: { readonly at: number; readonly accepted: number; readonly delivered: number }[] = [];

  /** Remembers the counts for `rates()`. Does nothing if it did so less than a second ago. */
  sample(now: number): void {
    const ageMs = now - (this.#samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
    // The time of day was set back.
    if (ageMs < 0) this.#samples.length = 0;
    else if (ageMs < INTERVAL_MS) return;
    this.#samples.push({ ...this, at: now });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** The averages over the last ten seconds. Samples, too. */
  rates(now: number): TrackerStats['rates'] {
    this.sample(now);
    const from = this.#samples.find(({ at }) => now - at <= WINDOW_MS) ?? { ...this, at: now };
    const seconds = Math.max(1, (now - from.at) / 1_000);
    return {
      acceptedPerSecond: (this.accepted - from.accepted) / seconds,
      deliveredPerSecond: (this.delivered - from.delivered) / seconds,
    };
  }
}
