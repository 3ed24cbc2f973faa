import { setMaxListeners } from 'node:events';
import type { FaultRow, FaultRows } from '../admin/contract.ts';
import type { Clock, Timer } from '../clock.ts';
import { readFault } from './fault-rules.ts';
import { FaultRun } from './fault-run.ts';
import type { Endpoint } from './fault-step.ts';
import { Injection } from './injection.ts';
import { seededRandom } from './seeded-random.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** So that faults of one seed have choices of their own. */
const SEED_STEP = 0x9e3779b9;

/** What faults need of the emulator. */
export interface FaultsOptions {
  readonly clock: Clock;
  readonly seed: number;
  /** Takes event ingestion away, so that connections are refused, or brings it back. */
  readonly setDown: (isDown: boolean) => Promise<void>;
}

/**
 * The faults that are switched on. They are asked in the order in which they were, and the first that ends a request is the
 * last one asked. The same seed and the same requests give the same faults.
 */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #closing = new AbortController();
  #runs: readonly FaultRun[] = [];
  #latestId = 0;
  #timer: Timer | undefined;
  #isDown = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(options: FaultsOptions) {
    this.#options = options;
    // Any number of requests may hang, and Node warns of eleven.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborted once the emulator closes: no request is to wait any longer. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Resolves when event ingestion is as the faults want it: away, or there. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** How many may act on a request now. */
  get active(): number {
    const now = this.#options.clock.now();
    return this.#runs.filter((run) => run.step(now).state(now) === 'active').length;
  }

  /** All that are switched on or over and not taken off the list, the newest first. */
  get rows(): FaultRows {
    const now = this.#options.clock.now();
    return { seed: this.#options.seed, faults: this.#runs.map((run) => run.row(now)).toReversed() };
  }

  /** Switches a fault or script on. Throws a ConfigError where it is none; `path` is what it is called there. */
  add(fault: unknown, path?: string): FaultRun {
    const { clock, seed } = this.#options;
    const checked = readFault(fault, path);
    this.#latestId += 1;
    const random = seededRandom(seed + this.#latestId * SEED_STEP);
    const run = new FaultRun(this.#latestId, checked, clock.now(), random);
    this.#runs = [...this.#runs, run];
    this.#sync();
    return run;
  }

  /** How a fault stands now. */
  row(run: FaultRun): FaultRow {
    return run.row(this.#options.clock.now());
  }

  /** Ends a fault and takes it off the list. False where it is not on it. */
  remove(id: number): boolean {
    const removed = this.#runs.find((run) => run.id === id);
    removed?.end();
    this.#runs = this.#runs.filter((run) => run !== removed);
    this.#sync();
    return removed !== undefined;
  }

  /** Ends all of them and takes them off the list. */
  removeAll(): void {
    for (const run of this.#runs) run.end();
    this.#runs = [];
    this.#sync();
  }

  /** What happens to a request, which counts as one that the faults met. */
  inject(endpoint: Endpoint): Injection {
    const now = this.#options.clock.now();
    const injection = new Injection(now);
    for (const run of this.#runs) {
      const step = run.step(now);
      if (step.meets(endpoint, now) && !injection.add(step)) break;
    }
    this.#sync();
    return injection;
  }

  /** Resolves after so long, or once the emulator closes. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.closing.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.#options.clock.setTimeout(end, ms);
      this.closing.addEventListener('abort', end);
    });
  }

  /** Ends all faults and what waits for them. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#timer?.cancel();
    this.removeAll();
    await this.#settled;
  }

  /** Takes event ingestion away or brings it back, as the faults of now want it, and comes again when that may change. */
  #sync(): void {
    if (this.closing.aborted) return;
    const { clock, setDown } = this.#options;
    const now = clock.now();
    const steps = this.#runs.map((run) => run.step(now));
    const isDown = steps.some(
      (step) =>
        step.fault.kind === 'down' && step.fault.endpoint !== 'customers' && step.state(now) === 'active',
    );
    if (isDown !== this.#isDown) {
      this.#isDown = isDown;
      this.#settled = this.#settled.then(() => setDown(isDown));
    }
    this.#timer?.cancel();
    const next = Math.min(
      ...steps.map((step) => (step.state(now) === 'over' ? Number.POSITIVE_INFINITY : step.changesAt(now))),
    );
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.setTimeout(() => this.#sync(), Math.min(next - now, LONGEST_TIMER_MS));
  }
}
