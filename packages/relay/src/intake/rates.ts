import { Refusal } from '../exchange.ts';
import { Recent } from '../recent.ts';

/** Whoever sends more at once than in this time has to wait. */
const BURST_MS = 60_000;
const MOST_KNOWN = 50_000;

/** Limits how many events come from each ticket or address. Forgets who was silent longest. */
export class Rates {
  readonly #msPerEvent: number;
  readonly #burstMs: number;
  /** When each will have waited for all that it sent. */
  readonly #freeAt = new Recent<number>(MOST_KNOWN);

  /** @param before How many events a request itself counts as. After a time of silence, a full minute of events passes beside these. */
  constructor(eventsPerMinute: number, before = 0) {
    this.#msPerEvent = BURST_MS / eventsPerMinute;
    this.#burstMs = BURST_MS + before * this.#msPerEvent;
  }

  /** Throws a refusal if these events are too many now. */
  check(who: string, events: number, now: number): void {
    const waitMs = this.#after(who, events, now) - now - this.#burstMs;
    if (waitMs > 0) throw new Refusal('too_many', waitMs);
  }

  count(who: string, events: number, now: number): void {
    this.#freeAt.set(who, this.#after(who, events, now));
  }

  #after(who: string, events: number, now: number): number {
    // A body larger than the limit passes after a time of silence.
    const costMs = Math.min(BURST_MS, events * this.#msPerEvent);
    const freeAt = this.#freeAt.get(who) ?? now;
    // More than the whole time ahead: the clock was set back.
    return (freeAt > now + this.#burstMs ? now : Math.max(now, freeAt)) + costMs;
  }
}
