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
  // Only a hang takes so long.
  flushTimeoutMs: 300_000,
  maxBytes: null,
} as const;

type Settings = Omit<TrackingSettings, keyof typeof DEFAULTS> & Partial<TrackingSettings>;

/** A process that tracks, as its parent uses it. The parent can kill it, and remembers which events it reported as durable. */
export class Tracking {
  readonly #process: ForkedProcess<TrackingTold>;
  readonly #life: number;
  readonly #heard: Promise<void>;
  readonly #started = new Moment();
  readonly #firstDurable = new Moment();
  readonly #isEndless: boolean;
  /** What went wrong in it, one line each. */
  readonly problems: string[] = [];
  /** The failures that its journal reported. */
  readonly storageFailures: string[] = [];
  #durable = 0;
  #pending: number | undefined;

  constructor(settings: Settings, launch?: Launch) {
    this.#process = new ForkedProcess<TrackingTold>(SCRIPT, { ...DEFAULTS, ...settings }, [], launch);
    this.#life = settings.life;
    this.#isEndless = settings.total === null;
    this.#heard = this.#process
      .hear((told) => this.#hear(told))
      .finally(() => {
        this.#started.come();
        this.#firstDurable.come();
      });
  }

  /** Resolves when it will create its tracker next, or has ended. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves when it has first reported durable events, or has ended. */
  get firstDurable(): Promise<void> {
    return this.#firstDurable.promise;
  }

  /** Its events that must arrive: those that it reported as durable. */
  get expectation(): Expectation {
    return { life: this.#life, count: this.#durable };
  }

  /** All problems, if the journal must not fail either. */
  get allProblems(): string[] {
    return [...this.problems, ...this.storageFailures];
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.signal(name);
  }

  /** Kills it with SIGKILL. Resolves once it has ended and all its messages were read. */
  async kill(): Promise<void> {
    this.#process.signal('SIGKILL');
    await this.#process.ended();
    await this.#heard;
  }

  /** Lets it flush, close and end. It must end without an error and without pending events. */
  async finish(): Promise<void> {
    if (this.#isEndless) this.#process.tell({ type: 'finish' });
    const ending = await this.#process.ended();
    await this.#heard;
    if (ending !== 'exit code 0') this.problems.push(`life ${this.#life} crashed: ${ending}`);
    else if (this.#pending !== 0) this.problems.push(`life ${this.#life} left ${this.#pending} events`);
  }

  #hear(told: TrackingTold): void {
    if (told.type === 'started') this.#started.come();
    else if (told.type === 'durable') this.#hearDurable(told.count);
    else if (told.type === 'problem') this.problems.push(told.what);
    else if (told.type === 'storageFailed') this.storageFailures.push(told.what);
    else this.#pending = told.pending;
  }

  #hearDurable(count: number): void {
    this.#durable = count;
    this.#firstDurable.come();
  }
}

/** A moment to wait for. It comes at the latest when the process ends. */
class Moment {
  come: () => void = () => {};
  readonly promise: Promise<void> = new Promise((resolve) => {
    this.come = resolve;
  });
}
