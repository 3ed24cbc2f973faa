import type { FaultRow } from '../admin/contract.ts';
import type { FaultRun } from './fault-run.ts';
import type { Faults } from './faults.ts';

/**
 * A fault that was switched on. With `using`, it ends with the block.
 *
 * @example using fault = emulator.fail({ kind: 'status', status: 503, times: 3 });
 */
export class FaultHandle implements Disposable, AsyncDisposable {
  readonly #faults: Faults;
  readonly #run: FaultRun;

  constructor(faults: Faults, fault: unknown) {
    this.#faults = faults;
    this.#run = faults.add(fault);
  }

  /** Its id on the faults page and in the admin routes. */
  get id(): number {
    return this.#run.id;
  }

  /** How many requests it acted on. */
  get hits(): number {
    return this.#run.hits;
  }

  /** `waiting` until its time begins, `active` while it may act on requests, or `over`. */
  get state(): FaultRow['state'] {
    return this.#faults.row(this.#run).state;
  }

  /** Ends the fault. If the service was down, it resolves when the service is back. Requests that hang continue to hang. */
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
