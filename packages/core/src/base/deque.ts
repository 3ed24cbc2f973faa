/** Space for new items at the front, so that adding one does not move the others. */
const SPARE = 8;
/** The others move to the front once this many items were removed. */
const LEAST_GAP = 32;

/** A list with constant cost at both ends: adding and removing there does not move the other items. */
export class Deque<Item> implements Iterable<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  get first(): Item | undefined {
    return this.#items[this.#first];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  unshift(item: Item): void {
    if (this.#first === 0) {
      this.#first = SPARE + this.#items.length;
      this.#items = [...Array<undefined>(this.#first), ...this.#items];
    }
    this.#first -= 1;
    this.#items[this.#first] = item;
  }

  /** Inserts an item before the first one that goes after it. The cost grows with the number of items before it. */
  insert(item: Item, goesAfter: (other: Item) => boolean): void {
    this.unshift(item);
    for (let index = this.#first; ; index += 1) {
      const next = this.#items[index + 1];
      if (next === undefined || goesAfter(next)) return;
      this.#items[index] = next;
      this.#items[index + 1] = item;
    }
  }

  /** Removes an item. The cost grows with the number of items before it. */
  remove(item: Item): void {
    let index = this.#items.indexOf(item, this.#first);
    if (index < 0) return;
    for (; index > this.#first; index -= 1) this.#items[index] = this.#items[index - 1];
    this.#items[this.#first] = undefined;
    this.#first += 1;
    if (this.#first >= LEAST_GAP && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Keeps only some items. The cost grows with the length of the list. */
  filter(isKept: (item: Item) => boolean): void {
    this.#items = [...this].filter(isKept);
    this.#first = 0;
  }

  *[Symbol.iterator](): Generator<Item, undefined> {
    for (let index = this.#first; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
  }
}
