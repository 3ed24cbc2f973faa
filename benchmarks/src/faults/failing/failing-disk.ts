import { FAILURES, type Failure, type FailurePlan, type Operation, systemError } from './failures.ts';

/** Counts what is asked of a disk, and says what fails. */
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

  /** Whether there was an n-th operation. */
  get wasHit(): boolean {
    return this.#wasHit;
  }

  /** Whether something failed that notes what is released: such events may rightly come again. */
  get lostRelease(): boolean {
    return this.#lostRelease;
  }

  /** From now on everything works again. */
  repair(): void {
    this.#isRepaired = true;
  }

  /** Whether this operation fails. Each is asked for once. */
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

  /** Throws where this operation fails. */
  check(operation: Operation, path: string): void {
    if (this.fails(operation, path)) throw this.error(operation, path);
  }

  error(operation: Operation, path: string): Error {
    return systemError(this.failure.code ?? 'EIO', operation, path);
  }
}

/** A release is a record among the acknowledgements or, once it is the last one, the end of the whole file. */
function isRelease(operation: Operation, path: string): boolean {
  return path.endsWith('.acks') || operation === 'remove' || operation === 'rename';
}
