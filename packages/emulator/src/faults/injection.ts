import { withoutBlanks } from '../json-text.ts';
import type { Fault, PoisonFault, TooLargeFault } from './fault.ts';
import type { FaultStep } from './fault-step.ts';
import { actWords } from './fault-words.ts';

/** A fault that decides what a request ends with. */
export type EndingFault = Exclude<Fault, { kind: 'latency' | 'too-large' | 'poison' | 'none' }>;

interface Watch<Kind> {
  readonly step: FaultStep;
  readonly fault: Kind;
}

/** What the faults that meet one request do to it. */
export class Injection {
  /** Those that acted, in words. */
  readonly words: string[] = [];
  readonly #now: number;
  readonly #poisons: (Watch<PoisonFault> & { readonly pattern: RegExp })[] = [];
  readonly #hasActed = new Set<FaultStep>();
  #delayMs = 0;
  #ending: EndingFault | undefined;
  #tooLarge: Watch<TooLargeFault> | undefined;

  constructor(now: number) {
    this.#now = now;
  }

  /** How long it waits before it is served, in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** What it ends with, in place of being served, or of its answer. */
  get ending(): EndingFault | undefined {
    return this.#ending;
  }

  /** Takes in a fault that is to act on the request. False where that ends it, so that no other needs to be asked. */
  add(step: FaultStep): boolean {
    const { fault } = step;
    switch (fault.kind) {
      case 'none':
        return true;
      case 'latency':
        if (this.#act(step)) this.#delayMs += step.delayMs();
        return true;
      case 'poison':
        this.#poisons.push({ step, fault, pattern: new RegExp(fault.pattern, fault.flags) });
        return true;
      case 'too-large':
        if (fault.bytes < this.maxBytes) this.#tooLarge = { step, fault };
        return true;
      default:
        if (!this.#act(step)) return true;
        this.#ending = fault;
        return false;
    }
  }

  /** Largest body that it may have by the faults, in bytes; infinite where they have no bound. */
  get maxBytes(): number {
    return this.#tooLarge?.fault.bytes ?? Number.POSITIVE_INFINITY;
  }

  /** Its body is larger than {@link maxBytes}. */
  refuseBody(): void {
    if (this.#tooLarge !== undefined) this.#act(this.#tooLarge.step);
  }

  /** Why one of its events is refused, by its JSON text, with the blanks in it or without; undefined where it is not. */
  objection(text: string): string | undefined {
    for (const { step, fault, pattern } of this.#poisons) {
      if (!(pattern.test(text) || pattern.test(withoutBlanks(text))) || !this.#act(step)) continue;
      return `was refused by a fault: it ${actWords(fault)}`;
    }
    return undefined;
  }

  #act(step: FaultStep): boolean {
    if (this.#hasActed.has(step)) return true;
    if (!step.hit(this.#now)) return false;
    this.#hasActed.add(step);
    this.words.push(actWords(step.fault));
    return true;
  }
}
