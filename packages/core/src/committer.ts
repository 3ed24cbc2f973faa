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
  /** There may be events that can be sent. */
  readonly onWritten: () => void;
  /** The journal failed; events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Group commit: what waits in the ring is written to the journal in one write; while that runs, the next group gathers.
 * Where the journal fails, events are sent from memory, and those that are still there are written once it works again.
 */
export class Committer {
  readonly #options: CommitterOptions;
  #timer: Timer | undefined;
  #retryTimer: Timer | undefined;
  #writing: Promise<boolean> | undefined;
  #draining = false;
  #failures = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Whether the journal failed when it was last tried. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  /** Events were accepted: they are written within the interval. Costs next to nothing when that is under way. */
  notify(): void {
    if (this.#draining || this.#timer !== undefined) return;
    const { clock, intervalMs, onWritten } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#retryTimer === undefined) void this.#drain();
      else onWritten();
    }, intervalMs);
  }

  /** Resolves once all that is accepted by now is written, or goes on in memory for good. */
  async commit(): Promise<void> {
    const { backlog, onWritten } = this.#options;
    const mark = backlog.accepted;
    while (backlog.written < mark) {
      if (await this.#writeNext()) continue;
      backlog.markMemoryOnly(Math.max(0, mark - backlog.written));
      onWritten();
    }
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

  /** Cancels the timers. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#options.backlog.unwritten > 0 && (await this.#writeNext()));
    this.#draining = false;
  }

  /** Writes the next group. False where the journal failed. */
  #writeNext(): Promise<boolean> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<boolean> {
    const { backlog, journal, onWritten, onFailed } = this.#options;
    const group = backlog.unwrittenGroup(journal.groupLimit);
    if (group === undefined) return true;
    // Not while they are written: they would be taken out from under the journal.
    backlog.sendsUnwritten = false;
    try {
      backlog.markWritten(await journal.append(group));
      this.#failures = 0;
      this.#retryTimer?.cancel();
      this.#retryTimer = undefined;
    } catch (error) {
      backlog.sendsUnwritten = true;
      this.#retryLater();
      onFailed(error);
    }
    onWritten();
    return !this.failing;
  }

  #retryLater(): void {
    const { clock, random } = this.#options;
    this.#retryTimer?.cancel();
    const delayMs = backoffDelayMs(this.#failures, RETRY, random);
    this.#failures += 1;
    this.#retryTimer = clock.setTimeout(() => {
      this.#retryTimer = undefined;
      void this.#drain();
    }, delayMs);
  }
}
