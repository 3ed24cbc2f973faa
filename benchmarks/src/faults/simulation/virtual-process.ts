/** A process of the simulation. It can be stopped for a while, and ended at any moment. */
export class VirtualProcess {
  #state: 'running' | 'stopped' | 'dead' = 'running';
  /** Calls that came while it was stopped. */
  #held: (() => void)[] = [];
  readonly #ending = new Set<() => void>();
  #acted = true;
  /** How often it was stopped. */
  stops = 0;

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Calls back in the process: at once if it runs, later if it is stopped, never if it is dead. */
  deliver(callback: () => void): void {
    if (this.#state === 'running') {
      this.#acted = true;
      callback();
    } else if (this.#state === 'stopped') this.#held.push(callback);
  }

  /** Whether it has done anything since the last call of this. */
  hasActed(): boolean {
    const acted = this.#acted;
    this.#acted = false;
    return acted;
  }

  /** Calls back when it ends. Returns a function that cancels this. */
  onEnd(callback: () => void): () => void {
    this.#ending.add(callback);
    return () => void this.#ending.delete(callback);
  }

  stop(): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopped';
    this.stops += 1;
  }

  goOn(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    for (const callback of this.#held.splice(0)) this.deliver(callback);
  }

  end(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#held = [];
    for (const callback of this.#ending) callback();
    this.#ending.clear();
  }
}
