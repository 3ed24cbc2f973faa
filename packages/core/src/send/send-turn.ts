import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import type { Sharing } from '../keep/journal.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { OutgoingLanes } from './settlement.ts';

/** How often it is seen whether the turn is still needed. */
const TICK_MS = 1_000;
/** So often while others wait, and they have it: what was found out of a refused batch is lost with the turn. */
const MOST_TICKS = 10;
/** A tick without a request under way counts as so many. */
const IDLE_TICKS = 2;
/** When others are looked after that said that they have something to send, and did not. */
const LOOK_MS = 10_000;

/** So often it is tried again to find out what others did. */
const MOST_BLIND_TRIES = 2;

export interface SendTurnOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly createAbortController: () => AbortController;
  /** Once it has aborted, nothing is sent any more. */
  readonly abort: AbortController;
  readonly lanes: OutgoingLanes;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Sends what is due, where the turn has come; else calls `seek()`. Resolves once that is under way. */
  readonly wake: () => Promise<void>;
}

/** The right to send, where several tabs share a journal: one of them has it at a time, and only while it sends. */
export class SendTurn {
  readonly #options: SendTurnOptions;
  /** Resolves once it has come, or will not now. */
  #asked: Promise<void> | undefined;
  /** Ends the wait for it. */
  #ask: AbortController;
  #stop: AbortController;
  /** Ends it, while it is ours. */
  #over: (() => void) | undefined;
  /** Resolves once the lock of the last one is let go. */
  #last: Promise<void> = Promise.resolve();
  /** While it is ours. */
  readonly #ticker: Alarm;
  #ticks = 0;
  readonly #lookout: Alarm;
  /** Lives that have something to send, as far as they said. */
  readonly #others = new Set<string>();
  /** Whether others are to be looked after: they may have died with something to send. */
  #isCalled = false;
  /** How often it could not be found out, one time after the other, what others did. */
  #blindTries = 0;
  /** The last pause of others that was taken note of. */
  #pauseUntil: number | undefined;
  /** Whether this page has not had a turn yet. */
  #isFirst = true;

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
      // In line behind it: should it die, this tab takes over at once.
      this.#isCalled = this.#others.size > 0 && (this.#isCalled || activity === 'works');
      if (this.#others.size > 0) this.#lookout.set(LOOK_MS);
      else this.#lookout.cancel();
      void wake();
    });
  }

  get isOurs(): boolean {
    return this.#over !== undefined;
  }

  /** Aborted when what waits between two requests is to go back, and until the next turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Stands in line for it while something is due, or others are to be looked after. Resolves once it has come and what is due
   * is under way, or will not come now.
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

  /** What waits between two requests goes back. */
  yield(): void {
    if (this.signal.aborted) return;
    this.#stop.abort();
    void this.#options.wake();
  }

  /** Nothing is under way: others may have it. */
  end(): void {
    const over = this.#over;
    if (!over) return;
    this.#over = undefined;
    this.#asked = undefined;
    this.#ticker.cancel();
    this.#stop.abort();
    over();
  }

  /** For good. Resolves once others may have it. */
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
        // It is to be asked for again: it may be storage alone that kept it.
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
      // Where it is not to be had, somebody else has it, who may die.
      this.#last = sharing.hold(work, signal).catch(() => {
        if (!signal.aborted) this.#lookout.set(LOOK_MS);
        if (this.#ask.signal !== signal) return;
        // It may have been taken away in the middle of the work: what of that goes on ends as soon as it can.
        this.cancel();
        this.end();
      });
      void this.#last.then(resolve).then(wake);
    });
  }

  /** Before anything is sent: others may have sent it, or found that the service is to be left alone. Returns whether something is due. */
  async #prepare(): Promise<boolean> {
    const { gate, lanes, reporter, sharing } = this.#options;
    // What the journal took meanwhile is as good as what it had.
    for (const { underWay } of lanes.all) for (const batch of underWay.left.splice(0)) underWay.leave(batch);
    try {
      await sharing.refresh();
      this.#blindTries = 0;
    } catch (error) {
      reporter.storageFailed(error);
      this.#blindTries += 1;
      // It may have been asleep. Where storage is broken for good, better twice than never.
      if (this.#blindTries <= MOST_BLIND_TRIES) return false;
    }
    const { pause } = sharing;
    // A page that opens asks by itself whether what was wrong with us, or in between, is mended.
    const isNews = pause !== undefined && pause.until !== this.#pauseUntil;
    if (isNews && !(this.#isFirst && pause.failures === 0)) gate.share(pause);
    this.#pauseUntil = pause?.until;
    this.#isFirst = false;
    return this.#isDue;
  }

  /** It is over, and nobody else has it yet. */
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
