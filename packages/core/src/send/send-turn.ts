import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Sharing } from '../keep/journal.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Waiting } from './waiting.ts';

/** How often to check whether this tab still needs the turn. */
const TICK_MS = 1_000;
/** After this many ticks, tabs that wait get the turn. Not earlier: what was learned about refused parcels is lost then. */
const MOST_TICKS = 10;
/** A tick without a pending request counts as this many. */
const IDLE_TICKS = 2;
/** When to check on other tabs that said that they have something to send, and have not sent it. */
const LOOK_MS = 10_000;

/** How many turns in a row may fail because this tab cannot read what others did. After that, it sends anyway. */
const MOST_BLIND_TRIES = 2;

interface SendTurnOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'isBusy' | 'mayStart' | 'share' | 'sharedPause'>;
  /** Once aborted, nothing is sent any more. */
  readonly signal: AbortSignal;
  readonly waiting: Pick<Waiting, 'isDue' | 'pending'>;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Sends what is due if this tab has the turn, else calls `seek()`. Resolves once sending has started. */
  readonly wake: () => Promise<void>;
}

/** The right to send, if several tabs share a journal. One tab has it at a time, and only while it sends. */
export class SendTurn {
  readonly #options: SendTurnOptions;
  /** Resolves once the turn has come, or will not come now. */
  #asked: Promise<void> | undefined;
  /** Ends the wait for the turn. */
  #ask = new AbortController();
  #stop = new AbortController();
  /** Whether `#stop` was told to abort. The signal does not say it: WebKit does not abort one in a page that is gone. */
  #isStopped = true;
  /** Ends the turn. Set only while this tab has it. */
  #over: (() => void) | undefined;
  /** Resolves once the lock of the last turn is released. */
  #last: Promise<void> = Promise.resolve();
  /** Runs while this tab has the turn. */
  readonly #ticker: Alarm;
  #ticks = 0;
  readonly #lookout: Alarm;
  /** Other tabs that said that they have something to send. */
  readonly #others = new Set<string>();
  /** Whether this tab should check on others: they may have died with something to send. */
  #isCalled = false;
  /** How many times in a row this tab could not read what others did. */
  #blindTries = 0;
  /** When the last known pause ends: one that this tab read or stored. 0 until this page has had a turn. */
  #pauseUntil: number | undefined = 0;

  constructor(options: SendTurnOptions) {
    this.#options = options;
    const { clock, sharing, wake } = options;
    this.#ticker = new Alarm(clock, () => this.#tick());
    this.#lookout = new Alarm(clock, () => {
      this.#isCalled = true;
      void wake();
    });
    this.#stop.abort();
    sharing.listen((life, activity) => {
      if (activity === 'rests') this.#others.delete(life);
      else this.#others.add(life);
      // Wait in line behind the tab that works. If that tab dies, this one takes over at once.
      this.#isCalled = this.#others.size > 0 && (this.#isCalled || activity === 'works');
      if (this.#others.size > 0) this.#lookout.set(LOOK_MS);
      else this.#lookout.cancel();
      void wake();
    });
  }

  get isOurs(): boolean {
    return this.#over !== undefined;
  }

  /** Aborts when parcels that wait between two requests must go back. Stays aborted until the next turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Waits for the turn if something is due, or if other tabs must be checked; otherwise leaves the line. Resolves once the turn
   * has come and sending has started, or when the turn will not come now.
   */
  async seek(): Promise<void> {
    const { gate, sharing, signal, waiting } = this.#options;
    if (!signal.aborted && gate.mayStart && (this.#isCalled || waiting.isDue)) {
      this.#asked ??= this.#hold();
      return this.#asked;
    }
    this.#cancel();
    if (waiting.pending === 0) sharing.tell('rests');
  }

  /** Leaves the line. */
  #cancel(): void {
    if (!this.#asked) return;
    this.#asked = undefined;
    this.#ask.abort();
  }

  /** Starts to end the turn: parcels that wait between two requests go back. */
  yield(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stop.abort();
    void this.#options.wake();
  }

  /** Ends the turn, so that another tab can have it. */
  end(): void {
    const over = this.#over;
    if (!over) return;
    this.#over = undefined;
    this.#asked = undefined;
    this.#ticker.cancel();
    this.#isStopped = true;
    this.#stop.abort();
    over();
  }

  /** Ends the turn for good. Resolves once another tab can have it. */
  async stop(): Promise<void> {
    this.#cancel();
    this.end();
    await this.#last;
    this.#lookout.cancel();
  }

  #hold(): Promise<void> {
    const { sharing, wake } = this.#options;
    this.#ask = new AbortController();
    const { signal } = this.#ask;
    return new Promise((resolve) => {
      this.#last = sharing
        .hold(() => this.#work(signal, resolve), signal)
        .catch(() => {
          // If this tab cannot have the lock, another one has it. That tab may die, so check later.
          if (!signal.aborted) this.#lookout.set(LOOK_MS);
          if (this.#ask.signal !== signal) return;
          // The lock may have been lost during the turn: stop the rest of the work as soon as possible.
          this.#cancel();
          this.end();
        });
      void this.#last.then(resolve).then(wake);
    });
  }

  /** This tab has the lock. Calls `started` once sending has started. Resolves once the turn is over. */
  async #work(signal: AbortSignal, started: () => void): Promise<void> {
    const { gate, reporter, sharing, waiting, wake } = this.#options;
    this.#others.clear();
    this.#isCalled = false;
    this.#lookout.cancel();
    const isRead = await sharing.refresh().then(() => true, reporter.storageFailed);
    this.#blindTries = isRead ? 0 : this.#blindTries + 1;
    // The page may have been asleep. If storage is broken for good, sending twice is better than never.
    const isAwake = this.#blindTries === 0 || this.#blindTries > MOST_BLIND_TRIES;
    if (isAwake) {
      const { pause } = sharing;
      if (pause && pause.until !== this.#pauseUntil) gate.share(pause, this.#pauseUntil === 0);
      this.#pauseUntil = pause?.until;
    }
    if (signal.aborted) return;
    // Let `seek()` ask again: maybe only a storage failure prevented this turn.
    if (!isAwake || !waiting.isDue) return this.#cancel();
    const over = new Promise<void>((end) => {
      this.#over = end;
    });
    this.#stop = new AbortController();
    this.#isStopped = false;
    this.#ticks = 0;
    this.#ticker.set(TICK_MS);
    sharing.tell('works');
    await wake();
    started();
    await over;
    // The turn is over, and no other tab has it yet.
    await sharing.setPause(gate.sharedPause).catch(reporter.storageFailed);
    this.#pauseUntil = sharing.pause?.until;
  }

  #tick(): void {
    const isWanted = this.#others.size > 0;
    const isIdle = !this.#options.gate.isBusy;
    if (isIdle) this.#ticks += isWanted ? MOST_TICKS : IDLE_TICKS;
    else this.#ticks = isWanted ? this.#ticks + 1 : 0;
    this.#ticker.set(TICK_MS);
    if (this.#ticks >= MOST_TICKS) this.yield();
  }
}
