import { type Backoff, backoffDelayMs } from '@sluice/protocol';
import type { Backlog } from './backlog.ts';
import type { Clock, Timer } from './clock.ts';
import type { Journal } from './journal.ts';

/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };

export interface CommitterOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly intervalMs: number;
  /** Events were written and can be sent. */
  readonly onWritten: () => void;
  /** The journal failed, and those events go on in memory alone. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Group commit: what waits in the ring is written to the journal in one write; while that runs, the next group gathers.
 * Where the journal fails, events go on in memory, and the journal is tried again later.
 */
export class Committer {
  readonly #options: CommitterOptions;
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #draining = false;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Whether events go on in memory because the journal failed. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  /** Events were accepted: they are written within the interval. Costs next to nothing when that is under way. */
  notify(): void {
    if (this.#draining || this.#timer !== undefined) return;
    const { clock, intervalMs } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#drain();
    }, intervalMs);
  }

  /** Resolves once all that is accepted by now is written, or goes on in memory. */
  async commit(): Promise<void> {
    const { backlog } = this.#options;
    const mark = backlog.accepted;
    while (backlog.written < mark) await this.#writeNext();
  }

  /** Writes what is accepted and not written, now, on this thread, as far as the journal can do that. */
  commitSync(): void {
    const { backlog, journal } = this.#options;
    for (;;) {
      const group = journal.appendSync && backlog.unwrittenGroup(journal.groupLimit);
      if (group === undefined) return;
      const range = journal.appendSync?.(group);
      if (range !== undefined) backlog.markWritten(range);
    }
  }

  /** Cancels the timer. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#options.backlog.unwritten > 0) await this.#writeNext();
    this.#draining = false;
  }

  #writeNext(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { backlog, journal, clock, random, onWritten, onFailed } = this.#options;
    const group = backlog.unwrittenGroup(journal.groupLimit);
    if (group === undefined) return;
    const waitMs = this.#retryAt - clock.now();
    // More than the longest wait: the time of day was set back.
    if (waitMs > 0 && waitMs <= RETRY.maxMs) {
      backlog.markMemoryOnly(group.ends.length);
    } else {
      try {
        backlog.markWritten(await journal.append(group));
        this.#failures = 0;
      } catch (error) {
        this.#retryAt = clock.now() + backoffDelayMs(this.#failures, RETRY, random);
        this.#failures += 1;
        backlog.markMemoryOnly(group.ends.length);
        onFailed(error);
      }
    }
    onWritten();
  }
}
