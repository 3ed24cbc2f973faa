/**
 * A map of what was set most recently: at most `most` entries, and at least half as many. In two generations, so that nothing must
 * be put in order.
 */
export class Recent<Value> {
  readonly #half: number;
  #current = new Map<string, Value>();
  #previous = new Map<string, Value>();

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: string): Value | undefined {
    return this.#current.get(key) ?? this.#previous.get(key);
  }

  set(key: string, value: Value): void {
    this.#current.set(key, value);
    if (this.#current.size < this.#half) return;
    this.#previous = this.#current;
    this.#current = new Map();
  }
}
