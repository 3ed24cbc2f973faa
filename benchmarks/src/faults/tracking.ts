import type { Expectation } from '../processes/audit.ts';
import { ForkedProcess, type Launch } from '../processes/forked-process.ts';
import type { TrackingSettings, TrackingTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/tracking-process.js', import.meta.url);

const DEFAULTS = {
  apiKey: 'faults-key',
  fsync: 'interval',
  durableWhen: 'written',
  mostPerBurst: 100,
  tickMs: 4,
  batchEvents: 100,
  maxWaitMs: 20,
  timeoutMs: 30_000,
  flushTimeoutMs: 60_000,
  timeScale: 1,
  maxBytes: null,
} as const;

type Settings = Omit<TrackingSettings, keyof typeof DEFAULTS> & Partial<TrackingSettings>;

/** A process that tracks, as its parent sees it: it can be killed, and what it said was durable is remembered. */
export class Tracking {
  readonly #process: ForkedProcess<TrackingTold>;
  readonly #life: number;
  readonly #heard: Promise<void>;
  readonly #started = new Moment();
  readonly #firstDurable = new Moment();
  readonly #isEndless: boolean;
  /** What went wrong in it, one line each. */
  readonly problems: string[] = [];
  /** What its journal reported as failed. */
  readonly storageFailures: string[] = [];
  #durable = 0;
  #pending: number | undefined;

  constructor(settings: Settings, launch?: Launch) {
    this.#process = new ForkedProcess<TrackingTold>(SCRIPT, { ...DEFAULTS, ...settings }, [], launch);
    this.#life = settings.life;
    this.#isEndless = settings.total === null;
    this.#heard = this.#hear().finally(() => {
      this.#started.come();
      this.#firstDurable.come();
    });
  }

  /** Resolves when it is about to make its tracker. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves when it has said for the first time that events are durable. */
  get firstDurable(): Promise<void> {
    return this.#firstDurable.promise;
  }

  /** What must arrive of its events: those that it said are durable. */
  get expectation(): Expectation {
    return { life: this.#life, count: this.#durable };
  }

  /** What went wrong, where the journal must not fail either. */
  get allProblems(): string[] {
    return [...this.problems, ...this.storageFailures];
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
    if (this.#isEndless) this.#process.tell({ type: 'finish' });
    const ending = await this.#process.ended();
    await this.#heard;
    if (ending !== 'exit code 0') this.problems.push(`life ${this.#life} crashed: ${ending}`);
    else if (this.#pending !== 0) this.problems.push(`life ${this.#life} left ${this.#pending} events`);
  }

  async #hear(): Promise<void> {
    for (let told = await this.#process.next(); told !== undefined; told = await this.#process.next()) {
      if (told.type === 'started') this.#started.come();
      else if (told.type === 'durable') this.#hearDurable(told.count);
      else if (told.type === 'problem') this.problems.push(told.what);
      else if (told.type === 'storageFailed') this.storageFailures.push(told.what);
      else this.#pending = told.pending;
    }
  }

  #hearDurable(count: number): void {
    this.#durable = count;
    this.#firstDurable.come();
  }
}

/** Something that can be waited for; once the process has ended, nothing is. */
class Moment {
  come: () => void = () => {};
  readonly promise: Promise<void> = new Promise((resolve) => {
    this.come = resolve;
  });
}
