/** About this many of the last events count. */
const WINDOW_EVENTS = 500;
/** So few refused events say nothing about the service yet. */
const FEW_REFUSED = 10;

/** Tells a bad event from a service that refuses everything: compares how many of the last events it accepted and refused. */
export class Verdicts {
  #accepted = 0;
  #refused = 0;

  /** Whether most of the last events were refused. Then the service or our setup is at fault, not the events. */
  get blameTheService(): boolean {
    return this.#refused >= FEW_REFUSED && this.#refused > this.#accepted;
  }

  accepted(count: number): void {
    this.#accepted += count;
    this.#fade();
  }

  refused(): void {
    this.#refused += 1;
    this.#fade();
  }

  /** The refused event could not be stored as a dead letter, so it will be judged again. */
  withdraw(): void {
    this.#refused -= 1;
  }

  /** Makes older verdicts count less. */
  #fade(): void {
    const total = this.#accepted + this.#refused;
    if (total <= WINDOW_EVENTS) return;
    this.#accepted *= WINDOW_EVENTS / total;
    this.#refused *= WINDOW_EVENTS / total;
  }
}
