/** How far back verdicts count, in events. */
const WINDOW_EVENTS = 500;
/** So few refused events say nothing yet about the service. */
const FEW_REFUSED = 10;

/** Tells a bad event from a service that refuses whatever it is sent: by how many of the last events it refused. */
export class Verdicts {
  #accepted = 0;
  #refused = 0;

  /** Whether most of what was sent of late was refused: then it is the service or us, not the events. */
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

  /** A refused event could not be kept: it will be judged again. */
  withdraw(): void {
    this.#refused -= 1;
  }

  /** Older verdicts count for less. */
  #fade(): void {
    const total = this.#accepted + this.#refused;
    if (total <= WINDOW_EVENTS) return;
    this.#accepted *= WINDOW_EVENTS / total;
    this.#refused *= WINDOW_EVENTS / total;
  }
}
