import { setMaxListeners } from 'node:events';
import { type Clock, MAX_TIMER_MS, type Timer } from '@sluice/protocol/toolbox';
import type { FaultRows } from '../admin/contract.ts';
import { readFault } from './fault-rules.ts';
import { type Endpoint, FaultRun } from './fault-run.ts';
import { Injection } from './injection.ts';

/** Gives each fault its own random choices, although all use the same seed. */
const SEED_STEP = 0x9e3779b9;

/**
 * The faults that are switched on. For each request, they are asked in the order in which they were switched on, until one of
 * them ends the request. The same seed and the same requests give the same faults.
 */
export class Faults {
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #setDown: (isDown: boolean) => Promise<void>;
  readonly #closing = new AbortController();
  #runs: readonly FaultRun[] = [];
  #latestId = 0;
  #timer: Timer | undefined;
  #isDown = false;
  /** Resolves when event ingestion is in the state that the faults require: away, or available. */
  settled: Promise<void> = Promise.resolve();

  /** `setDown` takes event ingestion away, so that connections are refused, or brings it back. */
  constructor(clock: Clock, seed: number, setDown: (isDown: boolean) => Promise<void>) {
    this.#clock = clock;
    this.#seed = seed;
    this.#setDown = setDown;
    // Any number of requests may hang. Node would warn from eleven listeners on.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborted when the emulator closes: then no request should wait any longer. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** How many faults may act on a request now. */
  get active(): number {
    return this.#runs.filter(({ state }) => state === 'active').length;
  }

  /** All faults on the list, newest first. A fault that is over stays on the list until it is removed. */
  get rows(): FaultRows {
    return { seed: this.#seed, faults: this.#runs.map(({ row }) => row).toReversed() };
  }

  /** Switches on a fault or script. Throws a ConfigError if it is wrong. */
  add(fault: unknown): FaultRun {
    const checked = readFault(fault);
    this.#latestId += 1;
    const random = seededRandom(this.#seed + this.#latestId * SEED_STEP);
    const run = new FaultRun(
      this.#latestId,
      checked,
      () => this.#clock.now(),
      random,
      (ended) => this.remove((each) => each === ended),
    );
    this.#runs = [...this.#runs, run];
    this.#sync();
    return run;
  }

  /** Ends faults, by default all, and removes them from the list. Resolves, once that has taken effect, to how many there were. */
  async remove(isMeant: (run: FaultRun) => boolean = () => true): Promise<number> {
    const removed = this.#runs.filter(isMeant);
    for (const run of removed) run.isEnded = true;
    this.#runs = this.#runs.filter((run) => !removed.includes(run));
    this.#sync();
    await this.settled;
    return removed.length;
  }

  /** Decides what the faults do to a request. Each fault that meets the request counts it. */
  inject(endpoint: Endpoint): Injection {
    const now = this.#clock.now();
    const injection = new Injection(now);
    for (const run of this.#runs) {
      const step = run.step(now);
      if (step.meets(endpoint, now) && !injection.add(step)) break;
    }
    this.#sync();
    return injection;
  }

  /** Ends all faults, and everything that waits because of them. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#timer?.cancel();
    await this.remove();
  }

  /** Takes event ingestion away or brings it back, as the current faults require. Sets a timer for the next possible change. */
  #sync(): void {
    if (this.closing.aborted) return;
    const now = this.#clock.now();
    const steps = this.#runs.map((run) => run.step(now));
    const isDown = steps.some(
      (step) =>
        step.fault.kind === 'down' && step.fault.endpoint !== 'customers' && step.state(now) === 'active',
    );
    if (isDown !== this.#isDown) {
      this.#isDown = isDown;
      this.settled = this.settled.then(() => this.#setDown(isDown));
    }
    this.#timer?.cancel();
    const next = Math.min(...steps.map((step) => step.changesAt(now)));
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => this.#sync(), Math.min(next - now, MAX_TIMER_MS), true);
  }
}

/** Creates a generator of numbers in [0, 1). The same seed gives the same numbers (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
