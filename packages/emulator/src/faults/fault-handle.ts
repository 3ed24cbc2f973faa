import type { FaultRow } from '../admin/contract.ts';
import type { FaultRun } from './fault-run.ts';
import type { Faults } from './faults.ts';

/** A fault that was switched on. With `using` it is over at the end of the block. */
export class FaultHandle implements Disposable, AsyncDisposable {
  readonly #faults: Faults;
  readonly #run: FaultRun;

  constructor(faults: Faults, fault: unknown) {
    this.#faults = faults;
    this.#run = faults.add(fault);
  }

  /** How it is called on the faults page and by the admin routes. */
  get id(): number {
    return this.#run.id;
  }

  /** How many requests it acted on. */
  get hits(): number {
    return this.#run.hits;
  }

  /** `waiting` for its time; `active`, so that it may act on a request now; or `over`. */
  get state(): FaultRow['state'] {
    return this.#faults.row(this.#run).state;
  }

  /** Ends it. Resolves when the service is there again, if it was down. Requests that hang go on to. */
  async stop(): Promise<void> {
    this.#faults.remove(this.id);
    await this.#faults.settled;
  }

  [Symbol.dispose](): void {
    this.#faults.remove(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
