/** Bytes of a key, and of it in a table that is as full as it may be. */
const KEY_BYTES = 12;
export const BYTES_PER_ID = 17;
const WORDS = 3;

/** A key: three words, of which the first is never 0. */
export interface Key {
  readonly words: Uint32Array;
  /** The place of the first word. */
  readonly at: number;
}

/** A set of keys in one typed array: open addressing, each probe looks at the next slot. */
export class IdTable {
  readonly #words: Uint32Array;
  readonly slots: number;
  readonly most: number;
  #count = 0;

  constructor(bytes: number) {
    this.slots = Math.floor(bytes / KEY_BYTES);
    this.most = Math.floor((this.slots * KEY_BYTES) / BYTES_PER_ID);
    this.#words = new Uint32Array(this.slots * WORDS);
  }

  get count(): number {
    return this.#count;
  }

  has(key: Key): boolean {
    return this.#words[this.#find(key) * WORDS] !== 0;
  }

  /** The caller sees to it that there is room. */
  add({ words, at }: Key): void {
    const slot = this.#find({ words, at });
    if (this.#words[slot * WORDS] !== 0) return;
    this.#words.set(words.subarray(at, at + WORDS), slot * WORDS);
    this.#count += 1;
  }

  delete(key: Key): void {
    let free = this.#find(key);
    if (this.#words[free * WORDS] === 0) return;
    this.#count -= 1;
    // The keys behind it that were put further back because of it move up.
    for (let slot = this.#after(free); this.#words[slot * WORDS] !== 0; slot = this.#after(slot)) {
      const home = this.#home(this.#words[slot * WORDS] ?? 0);
      const isBetween = free <= slot ? free < home && home <= slot : free < home || home <= slot;
      if (isBetween) continue;
      this.#words.copyWithin(free * WORDS, slot * WORDS, (slot + 1) * WORDS);
      free = slot;
    }
    this.#words.fill(0, free * WORDS, (free + 1) * WORDS);
  }

  /** Empties some slots. Until all are empty, what is left is found or not. */
  clear(from: number, to: number): void {
    this.#words.fill(0, from * WORDS, to * WORDS);
    this.#count = 0;
  }

  /** The slot of the key; if it is not there, the empty one where it belongs. */
  #find({ words, at }: Key): number {
    const [first = 0, second, third] = [words[at], words[at + 1], words[at + 2]];
    let slot = this.#home(first);
    for (;;) {
      const place = slot * WORDS;
      const found = this.#words[place];
      if (found === 0) return slot;
      if (found === first && this.#words[place + 1] === second && this.#words[place + 2] === third)
        return slot;
      slot = this.#after(slot);
    }
  }

  #home(first: number): number {
    return Math.floor(first * (this.slots / 2 ** 32));
  }

  #after(slot: number): number {
    return slot + 1 === this.slots ? 0 : slot + 1;
  }
}
