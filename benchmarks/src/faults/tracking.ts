import type { Expectation } from '../processes/audit.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { TrackingSettings, TrackingTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/tracking-process.js', import.meta.url);
const FLUSH_TIMEOUT_MS = 60_000;

type Settings = Pick<TrackingSettings, 'baseUrl' | 'journalDirectory' | 'life' | 'seed' | 'total'> &
  Partial<TrackingSettings>;

/** A process that tracks, as its parent sees it: it can be killed, and what it said was durable is remembered. */
export class Tracking {
  readonly #process: ForkedProcess<TrackingTold>;
  readonly #life: number;
  readonly #heard: Promise<void>;
  readonly #hasStarted: Promise<void>;
  /** What went wrong in it, one line each. */
  readonly problems: string[] = [];
  #durable = 0;
  #pending: number | undefined;

  constructor(settings: Settings) {
    const defaults = {
      apiKey: 'faults-key',
      batchEvents: 100,
      timeoutMs: 30_000,
      flushTimeoutMs: FLUSH_TIMEOUT_MS,
    };
    this.#process = new ForkedProcess<TrackingTold>(SCRIPT, { ...defaults, ...settings });
    this.#life = settings.life;
    const { promise, resolve } = signal();
    this.#hasStarted = promise;
    this.#heard = this.#hear(resolve).finally(resolve);
  }

  /** Resolves when it is about to make its tracker. */
  get started(): Promise<void> {
    return this.#hasStarted;
  }

  /** What must arrive of its events: those that it said are in the journal. */
  get expectation(): Expectation {
    return { life: this.#life, count: this.#durable };
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.signal(name);
  }

  /** Ends it without its cooperation. Resolves once it is gone and all that it said was heard. */
  async kill(): Promise<void> {
    this.#process.signal('SIGKILL');
    await this.#process.ended();
    await this.#heard;
  }

  /** Lets it flush, close and end, which it must do well and with nothing left. */
  async finish(): Promise<void> {
    this.#process.tell({ type: 'finish' });
    const ending = await this.#process.ended();
    await this.#heard;
    if (ending !== 'exit code 0') this.problems.push(`life ${this.#life} crashed: ${ending}`);
    else if (this.#pending !== 0) this.problems.push(`life ${this.#life} left ${this.#pending} events`);
  }

  async #hear(started: () => void): Promise<void> {
    for (let told = await this.#process.next(); told !== undefined; told = await this.#process.next()) {
      if (told.type === 'started') started();
      else if (told.type === 'durable') this.#durable = told.count;
      else if (told.type === 'problem') this.problems.push(told.what);
      else this.#pending = told.pending;
    }
  }
}

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
