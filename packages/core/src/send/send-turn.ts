import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import type { Sharing } from '../keep/journal.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { OutgoingLanes } from './settlement.ts';

/** How often to check whether this tab still needs the turn. */
const TICK_MS = 1_000;
/** After this many ticks, tabs that wait get the turn. Not earlier: what was learned about refused batches is lost then. */
const MOST_TICKS = 10;
/** A tick without a pending request counts as this many. */
const IDLE_TICKS = 2;
/** When to check on other tabs that said that they have something to send, and have not sent it. */
const LOOK_MS = 10_000;

/** How many turns in a row may fail because this tab cannot read what others did. After that, it sends anyway. */
const MOST_BLIND_TRIES = 2;

export interface SendTurnOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly createAbortController: () => AbortController;
  /** Once aborted, nothing is sent any more. */
  readonly abort: AbortController;
  readonly lanes: OutgoingLanes;
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
  #ask: AbortController;
  #stop: AbortController;
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
    const { clock, createAbortController, wake } = options;
    this.#ask = createAbortController();
    this.#stop = createAbortController();
    this.#ticker = new Alarm(clock, () => this.#tick());
    this.#lookout = new Alarm(clock, () => {
      this.#isCalled = true;
      void wake();
    });
    this.#stop.abort();
    options.sharing.listen((life, activity) => {
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

  /** Aborts when batches that wait between two requests must go back. Stays aborted until the next turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Waits for the turn if something is due, or if other tabs must be checked; otherwise leaves the line. Resolves once the turn
   * has come and sending has started, or when the turn will not come now.
   */
  async seek(): Promise<void> {
    const { abort, gate, lanes, sharing } = this.#options;
    if (!abort.signal.aborted && gate.state !== 'open' && (this.#isCalled || this.#isDue)) {
      this.#asked ??= this.#hold();
      return this.#asked;
    }
    this.cancel();
    if (lanes.all.every(({ backlog }) => backlog.pending === 0)) sharing.tell('rests');
  }

  /** Leaves the line. */
  cancel(): void {
    if (!this.#asked) return;
    this.#asked = undefined;
    this.#ask.abort();
  }

  /** Starts to end the turn: batches that wait between two requests go back. */
  yield(): void {
    if (this.signal.aborted) return;
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
    this.#stop.abort();
    over();
  }

  /** Ends the turn for good. Resolves once another tab can have it. */
  async stop(): Promise<void> {
    this.cancel();
    this.end();
    await this.#last;
    this.#lookout.cancel();
  }

  get #isDue(): boolean {
    return this.#options.lanes.all.some(({ batcher, underWay }) => underWay.left.length > 0 || batcher.isDue);
  }

  #hold(): Promise<void> {
    const { createAbortController, sharing, wake } = this.#options;
    this.#ask = createAbortController();
    const { signal } = this.#ask;
    return new Promise((resolve) => {
      const work = async () => {
        this.#others.clear();
        this.#isCalled = false;
        this.#lookout.cancel();
        const isDue = await this.#prepare();
        if (signal.aborted) return;
        // Let `seek()` ask again: maybe only a storage failure prevented this turn.
        if (!isDue) return this.cancel();
        const over = new Promise<void>((end) => {
          this.#over = end;
        });
        this.#stop = createAbortController();
        this.#ticks = 0;
        this.#ticker.set(TICK_MS);
        sharing.tell('works');
        await wake();
        resolve();
        await over;
        await this.#leave();
      };
      // If this tab cannot have the lock, another one has it. That tab may die, so check later.
      this.#last = sharing.hold(work, signal).catch(() => {
        if (!signal.aborted) this.#lookout.set(LOOK_MS);
        if (this.#ask.signal !== signal) return;
        // The lock may have been lost during the turn: stop the rest of the work as soon as possible.
        this.cancel();
        this.end();
      });
      void this.#last.then(resolve).then(wake);
    });
  }

  /** Before sending: reads what others sent, and whether the service must be left alone. Returns whether something is due. */
  async #prepare(): Promise<boolean> {
    const { gate, lanes, reporter, sharing } = this.#options;
    // Batches that the journal has stored meanwhile go back to it, like all others that it holds.
    for (const { underWay } of lanes.all) for (const batch of underWay.left.splice(0)) underWay.leave(batch);
    try {
      await sharing.refresh();
      this.#blindTries = 0;
    } catch (error) {
      reporter.storageFailed(error);
      this.#blindTries += 1;
      // The page may have been asleep. If storage is broken for good, sending twice is better than never.
      if (this.#blindTries <= MOST_BLIND_TRIES) return false;
    }
    const { pause } = sharing;
    if (pause && pause.until !== this.#pauseUntil) gate.share(pause, this.#pauseUntil === 0);
    this.#pauseUntil = pause?.until;
    return this.#isDue;
  }

  /** The turn is over, and no other tab has it yet. */
  async #leave(): Promise<void> {
    const { gate, lanes, reporter, sharing } = this.#options;
    for (const { backlog } of lanes.all) backlog.putAllBack();
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
