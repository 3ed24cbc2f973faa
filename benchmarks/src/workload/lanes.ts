/** Posts batches in order, a few at a time. */
export class Lanes<Batch> {
  readonly #post: (batch: Batch) => Promise<unknown>;
  readonly #waiting: Batch[] = [];
  #running: Promise<void>[] = [];
  #free: number;

  constructor(count: number, post: (batch: Batch) => Promise<unknown>) {
    this.#post = post;
    this.#free = count;
  }

  add(batch: Batch): void {
    this.#waiting.push(batch);
    if (this.#free > 0) this.#running.push(this.#run());
  }

  /** Resolves once all batches are answered. */
  async empty(): Promise<void> {
    await Promise.all(this.#running);
    this.#running = [];
  }

  async #run(): Promise<void> {
    this.#free -= 1;
    for (let batch = this.#waiting.shift(); batch !== undefined; batch = this.#waiting.shift())
      await this.#post(batch);
    this.#free += 1;
  }
}
