import type { FaultRow } from '../admin/contract.ts';
import type { Fault, Script } from './fault.ts';
import { FaultStep } from './fault-step.ts';
import { faultWords } from './fault-words.ts';

/** A fault or script, from when it was switched on until it is over. */
export class FaultRun {
  readonly id: number;
  readonly #fault: Fault | Script;
  readonly #steps: readonly Fault[];
  readonly #random: () => number;
  #index = 0;
  #step: FaultStep;
  #hits = 0;
  #isEnded = false;

  constructor(id: number, fault: Fault | Script, startedAt: number, random: () => number) {
    this.id = id;
    this.#fault = fault;
    this.#steps = fault.kind === 'script' ? fault.steps : [fault];
    this.#random = random;
    this.#step = this.#begin(startedAt);
  }

  get hits(): number {
    return this.#hits;
  }

  /** Ends it early, because the user stopped it. */
  end(): void {
    this.#isEnded = true;
  }

  /** The current step; if all steps are over, the last one. */
  step(now: number): FaultStep {
    while (this.#step.state(now) === 'over' && this.#hasNext) {
      this.#index = (this.#index + 1) % this.#steps.length;
      this.#step = this.#begin(this.#step.overAt);
    }
    return this.#step;
  }

  row(now: number): FaultRow {
    const isScript = this.#fault.kind === 'script';
    const step = this.step(now);
    const endsAt = isScript && this.#hasNext ? Number.POSITIVE_INFINITY : step.overAt;
    return {
      id: this.id,
      fault: this.#fault,
      words: faultWords(this.#fault),
      state: this.#isEnded ? 'over' : step.state(now),
      step: isScript ? this.#index : null,
      hits: this.#hits,
      remaining: isScript || step.remaining === Number.POSITIVE_INFINITY ? null : step.remaining,
      endsAt: endsAt === Number.POSITIVE_INFINITY ? null : new Date(endsAt).toISOString(),
    };
  }

  get #hasNext(): boolean {
    const repeats = this.#fault.kind === 'script' && this.#fault.repeat === true;
    return repeats || this.#index < this.#steps.length - 1;
  }

  #begin(startedAt: number): FaultStep {
    const fault = this.#steps[this.#index];
    if (fault === undefined) throw new Error('a script has no such step');
    return new FaultStep(fault, startedAt, this.#random, () => {
      this.#hits += 1;
    });
  }
}
