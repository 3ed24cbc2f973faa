import { systemClock, type Timer } from '@sluice/protocol/toolbox';

/** Those with pending requests. */
const busy = new Set<ExitBudget>();

/**
 * How long pending requests keep a process alive that has nothing else to do. Sockets do not: a service that hangs would hold up the
 * end of every process.
 */
export class ExitBudget {
  static #isListening = false;
  readonly #budgetMs: number;
  #pending = 0;
  /** When the process must end, in milliseconds since 1970. Set once it could have ended. */
  #endsAt: number | undefined;
  #timer: Timer | undefined;

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
  }

  begin(): void {
    this.#pending += 1;
    busy.add(this);
    if (ExitBudget.#isListening || this.#budgetMs === 0) return;
    ExitBudget.#isListening = true;
    process.on('beforeExit', () => {
      for (const budget of busy) budget.#hold();
    });
  }

  end(): void {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    busy.delete(this);
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #hold(): void {
    const now = systemClock.now();
    this.#endsAt ??= now + this.#budgetMs;
    const leftMs = Math.min(this.#budgetMs, this.#endsAt - now);
    if (leftMs > 0) this.#timer ??= systemClock.setTimeout(() => {}, leftMs, true);
  }
}
