import { ForkedProcess } from '../processes/forked-process.ts';
import type { ForwardingSettings, ForwardingTold } from './messages.ts';

const SCRIPT = new URL('./forwarding-process.js', import.meta.url);

/** Processes that forward, as their parent uses them. */
export class Forwarders implements AsyncDisposable {
  readonly #processes: readonly ForkedProcess<ForwardingTold>[];
  #delivered = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #done: () => void = () => {};

  constructor(count: number, settings: ForwardingSettings, execArgv: readonly string[]) {
    this.#processes = Array.from({ length: count }, () => new ForkedProcess(SCRIPT, settings, execArgv));
  }

  /** How many events they have delivered. */
  get count(): number {
    return this.#delivered;
  }

  /** Resolves once all of them look for events. */
  async ready(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.expect('ready')));
    for (const process of this.#processes)
      void process.hear((told) => {
        if (told.type === 'delivered') this.#delivered += told.count;
        this.#check();
      });
  }

  /** Resolves once they have delivered so many events. */
  delivered(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#wanted = count;
      this.#check();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
  }

  #check(): void {
    if (this.#delivered >= this.#wanted) this.#done();
  }
}
