import { Refusal } from '../exchange.ts';
import { Recent } from '../recent.ts';

/** Whoever sends more at once than in this time has to wait. */
const BURST_MS = 60_000;
const MOST_KNOWN = 50_000;

/** Limits how many events come from each ticket or address. Forgets who was silent longest. */
export class Rates {
  readonly #msPerEvent: number;
  /** When each will have waited for all that it sent. */
  readonly #freeAt = new Recent<number>(MOST_KNOWN);

  constructor(eventsPerMinute: number) {
    this.#msPerEvent = BURST_MS / eventsPerMinute;
  }

  /** Counts events. Throws a refusal, and counts nothing, if these are too many. */
  take(who: string, events: number, now: number): void {
    const before = Math.max(now, this.#freeAt.get(who) ?? 0);
    // A body larger than the limit passes after a minute of silence.
    const cost = Math.min(BURST_MS, events * this.#msPerEvent);
    const waitMs = before + cost - now - BURST_MS;
    if (waitMs > 0) throw new Refusal('too_many', waitMs);
    this.#freeAt.set(who, before + cost);
  }
}
