import { type Clock, type Timer, untilWoken } from './clock.ts';

/** `closed`: requests flow. `open`: none is made. `half-open`: one is made, to see whether more may follow. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Failures in a row that open it. */
const FAILURES_TO_OPEN = 5;
/** So does half of the last requests. */
const WINDOW_REQUESTS = 20;
/** A network that comes and goes gives many hints. */
const HINT_MS = 60_000;

interface Waiter {
  readonly events: number;
  readonly wake: () => void;
}

/** Keeps requests from a service that does not want or cannot answer them. */
export class Breaker {
  readonly #clock: Clock;
  readonly #onChange: (state: BreakerState) => void;
  readonly #rests: () => boolean;
  #state: BreakerState = 'closed';
  #era = 0;
  #probing = false;
  #timer: Timer | undefined;
  #openUntil = 0;
  #openForMs = 0;
  #hintedAt = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #failuresInARow = 0;
  /** Whether each of the last requests failed. */
  #window: boolean[] = [];
  readonly #waiting = new Set<Waiter>();

  /** @param rests Whether no request is to be made to see whether more may follow: when it is over, `catchUp()` is to be called. */
  constructor(clock: Clock, onChange: (state: BreakerState) => void, rests: () => boolean = () => false) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#rests = rests;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Grows each time that it opens or is told to try: what a request of an earlier era is answered is old news. */
  get era(): number {
    return this.#era;
  }

  /** Until when no request is made, in milliseconds since 1970; undefined where one may be made now. */
  get openUntil(): number | undefined {
    if (this.#state !== 'open') return undefined;
    // Never longer than was asked, also where the time of day was set back.
    return Math.min(this.#openUntil, this.#clock.now() + this.#openForMs);
  }

  /** Whether none of the last requests failed, as far as the window goes. */
  get isClean(): boolean {
    return this.#window.length === WINDOW_REQUESTS && !this.#window.includes(true);
  }

  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  /**
   * Resolves when a request may be made, or to false when the signal aborts. While half-open only one gets through, that
   * with the fewest events.
   */
  async admit(events: number, signal: AbortSignal): Promise<boolean> {
    while (this.#state !== 'closed' && !signal.aborted) {
      if (this.#state === 'half-open' && !this.#probing) {
        this.#probing = true;
        return true;
      }
      await this.#change(events, signal);
    }
    return !signal.aborted;
  }

  /** A request of an era succeeded: the service works, and requests flow. */
  succeed(era: number): void {
    // An answer to what was sent before it opened does not cut its time short.
    if (era !== this.#era) return;
    this.#failuresInARow = 0;
    this.#record(false);
    if (this.#state !== 'closed') this.#close();
  }

  /** A request of an era failed. Returns whether no other should be made for a while. */
  fail(era: number): boolean {
    // What was sent before it opened is not to end the probe that finds out about now.
    if (era !== this.#era) return false;
    this.#failuresInARow += 1;
    this.#record(true);
    const failed = this.#window.filter((isFailure) => isFailure).length;
    const isHalf = this.#window.length === WINDOW_REQUESTS && failed * 2 >= WINDOW_REQUESTS;
    return this.#state !== 'closed' || this.#failuresInARow >= FAILURES_TO_OPEN || isHalf;
  }

  /**
   * No request for `delayMs` milliseconds, or for what is left of the time that it is open already; then one.
   *
   * @param failures How many requests of others failed in a row.
   */
  open(delayMs: number, failures = 0): void {
    this.#timer?.cancel();
    if (this.#stopped) return;
    this.#failuresInARow = Math.max(this.#failuresInARow, failures);
    const now = this.#clock.now();
    this.#openForMs = Math.max(delayMs, (this.openUntil ?? now) - now);
    this.#openUntil = now + this.#openForMs;
    this.#timer = this.#clock.setTimeout(() => {
      if (!this.#rests()) this.#enter('half-open');
    }, this.#openForMs);
    if (this.#state !== 'open') this.#era += 1;
    this.#window = [];
    this.#enter('open');
  }

  /** Timers stand still while a function is frozen or a machine sleeps; the time of day goes on. */
  catchUp(): void {
    if (this.#state === 'open' && this.#clock.now() >= this.#openUntil) this.tryNow();
  }

  /** The service may be back: one request is made now, unless there was such a hint of late. */
  hint(): void {
    const now = this.#clock.now();
    if (this.#state !== 'open' || this.#rests() || Math.abs(now - this.#hintedAt) < HINT_MS) return;
    this.#hintedAt = now;
    this.tryNow();
  }

  /** What was sent before is old news; where it is open, its time ends: one request is made now. */
  tryNow(): void {
    if (this.#stopped) return;
    this.#era += 1;
    if (this.#state === 'closed') return;
    this.#timer?.cancel();
    this.#enter('half-open');
  }

  /** Cancels the timer, for good: whatever waits does so until its signal aborts. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #close(): void {
    this.#timer?.cancel();
    this.#enter('closed');
  }

  #record(isFailure: boolean): void {
    this.#window.push(isFailure);
    if (this.#window.length > WINDOW_REQUESTS) this.#window.shift();
  }

  #enter(state: BreakerState): void {
    const changed = state !== this.#state;
    this.#state = state;
    this.#probing = false;
    // In this order: the first to ask is the one that gets through.
    for (const { wake } of [...this.#waiting].sort((a, b) => a.events - b.events)) wake();
    if (changed) this.#onChange(state);
  }

  #change(events: number, signal: AbortSignal): Promise<void> {
    return untilWoken(signal, (wake) => {
      const waiter = { events, wake };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }
}
