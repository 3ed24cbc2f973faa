import type { Expectation } from '../processes/audit.ts';
import { launchWorker } from '../processes/launch-worker.ts';
import { NOBODY } from '../processes/nobody.ts';
import type { Random } from './random.ts';
import { Tracking } from './tracking.ts';

export const BATCH_EVENTS = 25;
/** Slow, because many processes share the machine. */
const PACE = { mostPerBurst: 20, tickMs: 100, maxWaitMs: 200 };

interface OwnersOptions {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly random: Random;
}

/** The applications that share a journal directory: running ones and ended ones. */
export class Owners implements AsyncDisposable {
  readonly #options: OwnersOptions;
  readonly #running: Tracking[] = [];
  readonly #ended: Tracking[] = [];
  #lives = 0;

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.length;
  }

  /** The events of the ended applications that must arrive. */
  get expectations(): Expectation[] {
    return this.#ended.map(({ expectation }) => expectation);
  }

  get problems(): string[] {
    return this.#ended.flatMap(({ allProblems }) => allProblems);
  }

  /** Starts this many in parallel. Every other one is a worker of a cluster. */
  async start(count: number): Promise<void> {
    const started = Array.from({ length: count }, () => this.#make(this.#options.baseUrl, null));
    this.#running.push(...started);
    await Promise.all(started.map((owner) => owner.started));
  }

  /** Starts this many without a service: their events stay in their journals. Each has some there. */
  async startCutOff(count: number): Promise<Tracking[]> {
    const started = Array.from({ length: count }, () => this.#make(NOBODY, null));
    await Promise.all(started.map((owner) => owner.firstDurable));
    return started;
  }

  /** Kills a random running one. */
  async killOne(): Promise<void> {
    const [victim] = this.#running.splice(this.#options.random(this.#running.length), 1);
    if (victim !== undefined) await this.kill([victim]);
  }

  /** Kills these, all at once. */
  async kill(victims: readonly Tracking[]): Promise<void> {
    await Promise.all(victims.map((victim) => victim.kill()));
    this.#ended.push(...victims);
  }

  /** Stops a random running one with SIGSTOP, without ending it. Returns a function that continues it. */
  stopOne(): () => void {
    const stopped = this.#running[this.#options.random(this.#running.length)];
    stopped?.signal('SIGSTOP');
    return () => stopped?.signal('SIGCONT');
  }

  /** Lets all flush and close. Then a last one drains the remaining events. */
  async finish(): Promise<void> {
    await Promise.all(this.#running.map((owner) => owner.finish()));
    const heir = this.#make(this.#options.baseUrl, 0);
    await heir.finish();
    this.#ended.push(...this.#running.splice(0), heir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((owner) => owner.kill()));
  }

  #make(baseUrl: string, total: number | null): Tracking {
    const { journalDirectory, random } = this.#options;
    const life = this.#lives;
    this.#lives += 1;
    return new Tracking(
      {
        ...{ baseUrl, journalDirectory, life, total, seed: random(2 ** 32) },
        ...PACE,
        batchEvents: BATCH_EVENTS,
      },
      life % 2 === 1 ? launchWorker : undefined,
    );
  }
}
