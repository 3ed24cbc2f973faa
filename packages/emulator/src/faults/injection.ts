import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { withoutBlanks } from '../events/json-text.ts';
import type { Fault } from './fault.ts';
import type { FaultStep } from './fault-run.ts';
import { actWords } from './fault-words.ts';

/** A fault that decides how a request ends. */
export type EndingFault = Exclude<Fault, { kind: 'latency' | 'too-large' | 'poison' | 'none' }>;

/** What the faults do to one request. */
export class Injection {
  /** The faults that acted, in words. */
  readonly words: string[] = [];
  /** How long the request waits before it is served, in milliseconds. */
  delayMs = 0;
  /** The fault that ends the request: instead of the service, or instead of its answer. */
  ending: EndingFault | undefined;
  readonly #now: number;
  readonly #limits: [bytes: number, step: FaultStep][] = [];
  readonly #poisons = new Map<RegExp, FaultStep>();
  readonly #hasActed = new Set<FaultStep>();

  constructor(now: number) {
    this.#now = now;
  }

  /** Adds a fault that should act on the request. Returns false if it ends the request: then no other fault is asked. */
  add(step: FaultStep): boolean {
    const { fault } = step;
    switch (fault.kind) {
      case 'none':
        return true;
      case 'latency':
        if (this.#act(step)) this.#delay(fault.ms + Math.floor(step.random() * (fault.jitterMs ?? 0)));
        return true;
      case 'poison':
        this.#poisons.set(new RegExp(fault.pattern, fault.flags), step);
        return true;
      case 'too-large':
        this.#limits.push([fault.bytes, step]);
        return true;
      default:
        if (!this.#act(step)) return true;
        this.ending = fault;
        return false;
    }
  }

  /** Returns the limit of the fault that refuses a body of `size` bytes; undefined if none refuses it. */
  exceeded(size: number): number | undefined {
    return this.#limits.find(([bytes, step]) => bytes < size && this.#act(step))?.[0];
  }

  /**
   * Returns why an event is refused; undefined if it is not refused. The patterns are compared with its JSON text, with the
   * blanks and without them.
   */
  objection(text: string): string | undefined {
    for (const [pattern, step] of this.#poisons) {
      const isMatch = pattern.test(text) || pattern.test(withoutBlanks(text));
      if (isMatch && this.#act(step)) return `was refused by a fault: it ${actWords(step.fault)}`;
    }
    return undefined;
  }

  /** Whether the service serves the request: if a fault ends it, then only instead of the answer. */
  get isServed(): boolean {
    const { ending } = this;
    return !ending || ending.kind === 'lost-answer' || (ending.kind === 'reset' && ending.at === 'middle');
  }

  #delay(ms: number): void {
    this.delayMs = Math.min(this.delayMs + ms, MAX_TIMER_MS);
  }

  #act(step: FaultStep): boolean {
    if (this.#hasActed.has(step)) return true;
    if (!step.hit(this.#now)) return false;
    this.#hasActed.add(step);
    this.words.push(actWords(step.fault));
    return true;
  }
}
