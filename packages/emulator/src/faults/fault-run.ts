import type { FaultRow } from '../admin/contract.ts';
import type { Fault, FaultHandle, Script } from './fault.ts';
import { faultWords } from './fault-words.ts';

/** One of the two endpoints of the interface. */
export type Endpoint = 'events' | 'customers';

/** One fault during its turn. It counts the requests that it meets, and those that it acts on. */
export class FaultStep {
  readonly fault: Fault;
  /** When its time ends, or when it reached its limit of requests; infinite if neither is known. */
  overAt: number;
  readonly random: () => number;
  readonly #onHit: () => void;
  readonly #beginsAt: number;
  #met = 0;
  #hits = 0;

  /** It may act from `startedAt` plus its `afterMs`. It calls `onHit` for each request that it acts on. */
  constructor(fault: Fault, startedAt: number, random: () => number, onHit: () => void) {
    this.fault = fault;
    this.random = random;
    this.#onHit = onHit;
    this.#beginsAt = startedAt + (fault.afterMs ?? 0);
    this.overAt = this.#beginsAt + (fault.forMs ?? Number.POSITIVE_INFINITY);
  }

  /** How many more requests it may act on; infinite if there is no limit. */
  get remaining(): number {
    const { times = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY, skip = 0 } = this.fault;
    return Math.max(0, Math.min(times - this.#hits, requests - Math.max(0, this.#met - skip)));
  }

  state(now: number): 'waiting' | 'active' | 'over' {
    if (now >= this.overAt) return 'over';
    return now < this.#beginsAt ? 'waiting' : 'active';
  }

  /** When its state changes next just because time passes; infinite if it does not. */
  changesAt(now: number): number {
    return [this.#beginsAt, this.overAt].find((time) => time > now) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether it should act on a request. If it is active at this endpoint, it counts the request as met. */
  meets(endpoint: Endpoint, now: number): boolean {
    const { endpoint: only = endpoint, percent = 100, skip = 0, requests } = this.fault;
    if (this.state(now) !== 'active' || only !== endpoint) return false;
    this.#met += 1;
    if (this.#met <= skip) return false;
    if (requests !== undefined && this.#met >= skip + requests) this.overAt = now;
    return this.random() * 100 < percent;
  }

  /** Counts a request that it acts on. Returns false if it has already acted as often as it may: then it must not act. */
  hit(now: number): boolean {
    const { times } = this.fault;
    if (times !== undefined && this.#hits >= times) return false;
    this.#hits += 1;
    if (this.#hits === times) this.overAt = Math.min(now, this.overAt);
    this.#onHit();
    return true;
  }
}

/** A fault or script, from when it was switched on until it is over. */
export class FaultRun implements FaultHandle {
  readonly id: number;
  /** How many requests it acted on. */
  hits = 0;
  readonly #fault: Fault | Script;
  readonly #steps: readonly Fault[];
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #remove: (run: FaultRun) => Promise<unknown>;
  #index = 0;
  #step: FaultStep;
  /** Whether the user has ended it. */
  isEnded = false;

  /** `remove` ends it and removes it from the list. Resolves when that has taken effect. */
  constructor(
    id: number,
    fault: Fault | Script,
    now: () => number,
    random: () => number,
    remove: (run: FaultRun) => Promise<unknown>,
  ) {
    this.id = id;
    this.#fault = fault;
    this.#steps = fault.kind === 'script' ? fault.steps : [fault];
    this.#now = now;
    this.#random = random;
    this.#remove = remove;
    this.#step = this.#begin(now());
  }

  get state(): FaultRow['state'] {
    const now = this.#now();
    return this.isEnded ? 'over' : this.step(now).state(now);
  }

  async stop(): Promise<void> {
    await this.#remove(this);
  }

  [Symbol.dispose](): void {
    void this.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** The current step; if all steps are over, the last one. */
  step(now: number): FaultStep {
    while (this.#step.state(now) === 'over' && this.#hasNext) {
      this.#index = (this.#index + 1) % this.#steps.length;
      this.#step = this.#begin(this.#step.overAt);
    }
    return this.#step;
  }

  /** As pages show it. */
  get row(): FaultRow {
    const { state } = this;
    const isScript = this.#fault.kind === 'script';
    const { remaining, overAt } = this.#step;
    const endsAt = isScript && this.#hasNext ? Number.POSITIVE_INFINITY : overAt;
    return {
      ...{ id: this.id, fault: this.#fault, words: faultWords(this.#fault), state, hits: this.hits },
      step: isScript ? this.#index : null,
      remaining: isScript || remaining === Number.POSITIVE_INFINITY ? null : remaining,
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
      this.hits += 1;
    });
  }
}
