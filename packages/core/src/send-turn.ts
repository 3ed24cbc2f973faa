import { platform } from '#platform';
import type { Clock, Timer } from './clock.ts';
import type { Sharing } from './journal.ts';

/** How often it is seen whether the turn is still needed. */
const TICK_MS = 1_000;
/** So often without a request under way, and it is not. */
const MOST_IDLE_TICKS = 5;
/** When others are looked after that said that they have something to send, and did not. */
const LOOK_MS = 10_000;

export interface SendTurnOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  /** Whether requests are under way. */
  readonly isBusy: () => boolean;
  /** Nobody else sends now: finds out what others did. Resolves to whether there is something to send. Never rejects. */
  readonly prepare: () => Promise<boolean>;
  /** It has come: what is due may be sent, until `end()`. */
  readonly onBegin: () => Promise<void>;
  /** It is over, and nobody else has it yet. Never rejects. */
  readonly onEnd: () => Promise<void>;
  /** Whether it is to be asked for may have changed. */
  readonly onChange: () => void;
}

/** The right to send, where several tabs share a journal: one of them has it at a time, and only while it sends. */
export class SendTurn {
  readonly #options: SendTurnOptions;
  /** Resolves once it has come, or will not now. */
  #asked: Promise<void> | undefined;
  /** Ends the wait for it. */
  #ask = platform.createAbortController();
  #stop = platform.createAbortController();
  #isOurs = false;
  #over: () => void = () => {};
  /** Resolves once the lock of the last one is let go. */
  #last: Promise<void> = Promise.resolve();
  #ticker: Timer | undefined;
  #idleTicks = 0;
  #lookout: Timer | undefined;
  /** Lives that have something to send, as far as they said. */
  readonly #others = new Set<string>();
  #isCalled = false;

  constructor(options: SendTurnOptions) {
    this.#options = options;
    this.#stop.abort();
    options.sharing.listen((life, activity) => {
      if (activity === 'rests') this.#others.delete(life);
      else this.#others.add(life);
      // In line behind it: should it die, this tab takes over at once.
      this.#isCalled = this.#others.size > 0 && (this.#isCalled || activity === 'works');
      if (this.#others.size > 0) this.#lookLater();
      else this.#stopLooking();
      options.onChange();
    });
  }

  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Whether others are to be looked after: they may have died with something to send. */
  get isCalled(): boolean {
    return this.#isCalled;
  }

  /** Aborted when what waits between two requests is to go back, and until the next turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stands in line for it. Resolves once it has come and what is due is under way, or will not come now. */
  ask(): Promise<void> {
    this.#asked ??= this.#hold();
    return this.#asked;
  }

  /** Leaves the line. */
  cancel(): void {
    if (this.#asked === undefined) return;
    this.#asked = undefined;
    this.#ask.abort();
  }

  /** What waits between two requests goes back. */
  yield(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#options.onChange();
  }

  /** Nothing is under way: others may have it. */
  end(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#asked = undefined;
    this.#ticker?.cancel();
    this.#stop.abort();
    this.#over();
  }

  /** For good. Resolves once others may have it. */
  async stop(): Promise<void> {
    this.cancel();
    this.end();
    await this.#last;
    this.#stopLooking();
  }

  #hold(): Promise<void> {
    const { onBegin, onChange, onEnd, prepare, sharing } = this.#options;
    this.#ask = platform.createAbortController();
    const { signal } = this.#ask;
    return new Promise((resolve) => {
      const work = async () => {
        this.#others.clear();
        this.#isCalled = false;
        this.#stopLooking();
        const isDue = await prepare();
        if (signal.aborted || !isDue) return;
        const over = new Promise<void>((end) => {
          this.#over = end;
        });
        this.#isOurs = true;
        this.#stop = platform.createAbortController();
        this.#idleTicks = 0;
        this.#tick();
        sharing.tell('works');
        await onBegin();
        resolve();
        await over;
        await onEnd();
      };
      // Where it is not to be had, somebody else has it, who may die.
      this.#last = sharing.hold(work, signal).catch(() => {
        if (!signal.aborted) this.#lookLater();
        if (this.#ask.signal !== signal) return;
        // It may have been taken away in the middle of the work: what of that goes on ends as soon as it can.
        this.cancel();
        this.end();
      });
      void this.#last.then(resolve).then(onChange);
    });
  }

  #tick(): void {
    const { clock, isBusy } = this.#options;
    this.#ticker = clock.setTimeout(() => {
      this.#idleTicks = isBusy() ? 0 : this.#idleTicks + 1;
      this.#tick();
      if (this.#others.size > 0 || this.#idleTicks >= MOST_IDLE_TICKS) this.yield();
    }, TICK_MS);
  }

  #lookLater(): void {
    this.#lookout ??= this.#options.clock.setTimeout(() => {
      this.#lookout = undefined;
      this.#isCalled = true;
      this.#options.onChange();
    }, LOOK_MS);
  }

  #stopLooking(): void {
    this.#lookout?.cancel();
    this.#lookout = undefined;
  }
}
