import { FAILURES, type Failure, type FailurePlan, type Operation, systemError } from './failures.ts';

/** Counts the operations of a disk, and decides which of them fail. */
export class FailingDisk {
  readonly failure: Failure;
  readonly #plan: FailurePlan;
  #count = 0;
  #isRepaired = false;
  #wasHit = false;
  #lostRelease = false;

  constructor(plan: FailurePlan) {
    const failure = FAILURES.find(({ name }) => name === plan.failure);
    if (failure === undefined) throw new RangeError(`there is no failure "${plan.failure}"`);
    this.failure = failure;
    this.#plan = plan;
  }

  /** Whether the n-th operation was reached. */
  get wasHit(): boolean {
    return this.#wasHit;
  }

  /** Whether an operation failed that records a release. Such events are allowed to arrive again. */
  get lostRelease(): boolean {
    return this.#lostRelease;
  }

  /** No operation fails from now on. */
  repair(): void {
    this.#isRepaired = true;
  }

  /** Whether this operation fails. Also counts it, so call this once for each operation. */
  fails(operation: Operation, path: string): boolean {
    const { operations } = this.failure;
    if (this.#isRepaired || operations?.has(operation) === false) return false;
    this.#count += 1;
    const { nth, lasts } = this.#plan;
    const fails = lasts === 'once' ? this.#count === nth : this.#count >= nth;
    if (!fails) return false;
    this.#wasHit = true;
    this.#lostRelease ||= isRelease(operation, path);
    return true;
  }

  /** Throws if this operation fails. */
  check(operation: Operation, path: string): void {
    if (this.fails(operation, path)) throw this.error(operation, path);
  }

  error(operation: Operation, path: string): Error {
    return systemError(this.failure.code ?? 'EIO', operation, path);
  }
}

/** A release is a record in the `.acks` file. The last release of a file removes or renames the file. */
function isRelease(operation: Operation, path: string): boolean {
  return path.endsWith('.acks') || operation === 'remove' || operation === 'rename';
}
