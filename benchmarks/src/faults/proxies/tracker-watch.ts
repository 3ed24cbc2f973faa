import { setTimeout as pause } from 'node:timers/promises';
import type { Tracker, TrackerStats } from '@sluice/core';

const TICK_MS = 10;
const SHOWN_MS = 60_000;

/** What was seen of a tracker in a run. */
export interface Watched {
  readonly stats: TrackerStats;
  /** How often each failure was seen: answers that are no acceptance by status, other failures by code. */
  readonly failures: ReadonlyMap<string, number>;
  readonly problems: string[];
}

/** Watches a tracker: records its failures, and checks that its stats always add up. */
export class TrackerWatch {
  readonly #tracker: Tracker;
  readonly #timer: NodeJS.Timeout;
  readonly #problems: string[] = [];
  readonly #failures = new Map<string, number>();

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    this.#timer = setInterval(() => this.#checkBooks(), TICK_MS);
    tracker.on('requestFailed', ({ error }) => {
      const failure = String(error.status ?? codeOf(error));
      this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
    });
    tracker.on('dropped', ({ reason, count }) => this.#problems.push(`dropped ${count} events: ${reason}`));
    tracker.on('storageFailed', ({ error }) => this.fail(error));
  }

  /** Resolves once each of these statuses was seen, or, if there are none, any failure. Has a time limit. */
  async shown(statuses: readonly number[]): Promise<void> {
    const isShown = () =>
      this.#failures.size > 0 && statuses.every((status) => this.#failures.has(String(status)));
    for (const end = Date.now() + SHOWN_MS; !isShown() && Date.now() < end; ) await pause(TICK_MS);
  }

  fail({ message }: Error): void {
    this.#problems.push(message);
  }

  end(): Watched {
    clearInterval(this.#timer);
    this.#checkBooks();
    return { problems: this.#problems, failures: this.#failures, stats: this.#tracker.stats() };
  }

  #checkBooks(): void {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.#tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    if (accepted + recovered === delivered + deadLettered + lost + pending) return;
    const books = `${accepted} + ${recovered} = ${delivered} + ${deadLettered} + ${lost} + ${pending}`;
    this.#problems.push(`the books do not add up: ${books}`);
  }
}

/** The code of the innermost cause. */
function codeOf(error: Error): unknown {
  const { cause } = error;
  if (cause instanceof Error) return codeOf(cause);
  return Reflect.get(error, 'code');
}
