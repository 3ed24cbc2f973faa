import { Alarm } from '../base/alarm.ts';
import { JournalWriter } from './journal-writer.ts';

/** Appends at once: some are written while one is synced, and share the next sync. */
const MOST_APPENDS = 4;

/**
 * Group commit: writes the events in memory to the journal, many with each append. If the journal fails, events are sent from
 * memory, and those that are still there are written once it works.
 */
export class GroupCommit extends JournalWriter {
  /** Rings when events have waited for others to be written with. */
  readonly #interval = new Alarm(this.options.clock, () => this.#tick());
  #isAsked = false;
  #startsSoon = false;
  /** Whether all events are to be written now; otherwise only once there are enough of them. */
  #wantsAll = false;
  /** Whether those are to be written now that wait for no others. */
  #wantsUrgent = false;
  readonly #mostAppends = this.options.isStrict ? 1 : MOST_APPENDS;

  /** Events were accepted: they are written within the interval, or at once if that is urgent or there are enough of them. */
  notify(isUrgent: boolean): void {
    if (isUrgent) this.#wantsUrgent = true;
    if ((isUrgent || this.#isPressing) && this.inProgress < this.#mostAppends) this.#startSoon();
    this.#interval.set(this.options.commitIntervalMs);
  }

  /** Resolves once `isDone` returns true; to false as soon as the journal fails. */
  async write(isDone: () => boolean): Promise<boolean> {
    const { tries } = this;
    const isEmpty = () => this.options.waiting.unwrittenSince === undefined;
    while (!isDone()) {
      // A failure of an append that was in progress already says nothing of how the journal is now.
      if (this.isFailing && !this.isWriting && this.tries > tries) return false;
      await this.#writeAll();
      // Nothing is left to be written here: others see to it.
      if (isEmpty() && !this.isWriting) return isDone();
      await this.ended();
    }
    if (isEmpty()) this.#rest();
    return true;
  }

  override async stop(): Promise<void> {
    this.#interval.cancel();
    await super.stop();
  }

  protected override retry(): void {
    void this.#writeAll();
  }

  protected override next(): void {
    if (!this.isResting && this.#isDue) void this.#start();
  }

  #tick(): void {
    const { clock, commitIntervalMs, onChange, waiting } = this.options;
    if (this.isResting) {
      onChange();
      return;
    }
    const at = waiting.unwrittenSince;
    if (at === undefined) return;
    const waitMs = at + commitIntervalMs - clock.now();
    // More than the whole interval: the time of day was set back.
    if (waitMs > 0 && waitMs <= commitIntervalMs) this.#interval.set(waitMs);
    else void this.#writeAll();
  }

  /** Not now: this is `track()`. */
  #startSoon(): void {
    if (this.#startsSoon || this.isResting) return;
    this.#startsSoon = true;
    queueMicrotask(() => {
      this.#startsSoon = false;
      if (!this.isResting) void this.#start();
    });
  }

  #writeAll(): Promise<void> {
    this.#wantsAll = true;
    return this.#start();
  }

  #start(): Promise<void> {
    this.#isAsked = true;
    this.starting ??= this.#startAll();
    return this.starting;
  }

  async #startAll(): Promise<void> {
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await this.#startAppends();
      }
    } finally {
      this.starting = undefined;
    }
  }

  get #isPressing(): boolean {
    return this.options.waiting.unwrittenParcels > this.inProgress;
  }

  async #startAppends(): Promise<void> {
    const { budget, journal, waiting } = this.options;
    let fitting: number | undefined;
    while (this.#isDue && this.#hasTurn) {
      const isUrgent = !this.#wantsAll && !this.#isPressing;
      const entry = waiting.hand(
        fitting ? { ...journal.groupLimit, maxEvents: fitting } : journal.groupLimit,
        isUrgent,
      );
      if (!entry) {
        this.#wantsUrgent = false;
        if (!isUrgent) this.#rest();
        return;
      }
      if (budget.hasRoom(entry.events)) {
        this.append(entry);
        continue;
      }
      if (this.isWriting) {
        entry.handBack();
        return;
      }
      fitting = await this.fit(entry);
      // If it was appended, that may have failed already: a journal that rejects at once would be tried for ever.
      if (!fitting && this.isResting) return;
    }
  }

  /** All is given to the journal. */
  #rest(): void {
    this.#wantsAll = false;
    this.#interval.cancel();
  }

  get #isDue(): boolean {
    return this.#wantsAll || this.#wantsUrgent || this.#isPressing;
  }

  /** While the journal fails, one append at a time tries it. */
  get #hasTurn(): boolean {
    return this.inProgress < (this.isFailing ? 1 : this.#mostAppends);
  }
}
