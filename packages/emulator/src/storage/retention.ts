import type { Clock, Timer } from '@sluice/protocol/toolbox';
import type { EventStore } from './event-store.ts';
import type { RequestStore } from './request-store.ts';

/** How much to keep. Without a limit, all events are kept. */
export interface RetentionLimits {
  readonly maxEvents?: number | undefined;
  readonly maxAgeMs?: number | undefined;
  /** Default 200,000. */
  readonly maxRequests?: number | undefined;
}

const PERIOD_MS = 250;
const MOST_REQUESTS = 200_000;
// Rows to remove at once. That takes a few milliseconds, in which no request is served.
const AT_ONCE = 1_000;

/** Removes the oldest events and requests beyond the limits, at intervals and a few at a time. */
export class Retention {
  readonly #events: EventStore;
  readonly #requests: RequestStore;
  readonly #limits: RetentionLimits;
  readonly #clock: Clock;
  #timer: Timer | undefined;

  constructor(events: EventStore, requests: RequestStore, limits: RetentionLimits, clock: Clock) {
    this.#events = events;
    this.#requests = requests;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Starts the removal. Stop it at the end. */
  start(): void {
    this.#next(PERIOD_MS);
  }

  /** Stops the removal. */
  stop(): void {
    this.#timer?.cancel();
  }

  #next(delayMs: number): void {
    this.#timer = this.#clock.setTimeout(() => this.#next(this.#removeSome() ? 0 : PERIOD_MS), delayMs);
  }

  /** Removes some rows. Returns whether there are more to remove. */
  #removeSome(): boolean {
    const { maxEvents, maxAgeMs, maxRequests = MOST_REQUESTS } = this.#limits;
    const { oldest, newest } = this.#events.totals;
    const byCount = maxEvents === undefined ? oldest : newest - maxEvents + 1;
    const byAge =
      maxAgeMs === undefined ? oldest : this.#events.firstSince(this.#clock.now() - maxAgeMs, AT_ONCE);
    const wanted = Math.max(byCount, byAge);
    this.#events.removeBefore(wanted, AT_ONCE);
    const hasMoreRequests = this.#requests.removeBefore(this.#requests.newest - maxRequests + 1, AT_ONCE);
    return hasMoreRequests || wanted > this.#events.totals.oldest;
  }
}
