import { lifeOf } from './numbered-uuid.ts';

/** Sluice's field. */
const FIELD = '"uuid":"';
const UUID_LENGTH = 36;

/**
 * The uuids of the events in request bodies. They are searched for as bytes, since parsing would make the receiver the
 * bottleneck. Inside a JSON string these quotes are escaped, so that only a payload with a field `uuid` would mislead it.
 */
export class UuidSet {
  readonly seen: Set<string> = new Set();
  readonly #mark: Buffer;
  /** How many times more than once each of those came that came more than once. */
  readonly #repeats = new Map<string, number>();
  /** Who sent each event last, of those that have a name. */
  readonly #senders = new Map<string, string>();
  /** How many events came again after each of them had sent them. */
  readonly #repeatsAfter = new Map<string, number>();
  /** Events taken, repeated ones included. */
  received = 0;

  /** @param mark What stands right before each uuid, byte for byte. */
  constructor(mark: string = FIELD) {
    this.#mark = Buffer.from(mark, 'latin1');
  }

  /**
   * Takes the events of a request body. Returns how many there are.
   *
   * @param sender Whose request it is; undefined for one without a name.
   */
  add(body: Buffer, sender?: string): number {
    let count = 0;
    const mark = this.#mark;
    for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + UUID_LENGTH)) {
      at += mark.length;
      const uuid = body.toString('latin1', at, at + UUID_LENGTH);
      const before = this.seen.size;
      this.seen.add(uuid);
      if (this.seen.size === before) increment(this.#repeats, uuid);
      if (sender !== undefined) this.#noteSender(uuid, sender);
      count += 1;
    }
    this.received += count;
    return count;
  }

  /** How many of the events that these lives tracked came more than once; each repeat counts. */
  repeatsOf(lives: ReadonlySet<number>): number {
    let total = 0;
    for (const [uuid, repeats] of this.#repeats) if (lives.has(lifeOf(uuid))) total += repeats;
    return total;
  }

  /** The most events that came again after one sender had sent them. */
  get mostRepeatsAfterOne(): number {
    return Math.max(0, ...this.#repeatsAfter.values());
  }

  clear(): void {
    this.#repeats.clear();
    this.#senders.clear();
    this.#repeatsAfter.clear();
    this.seen.clear();
    this.received = 0;
  }

  #noteSender(uuid: string, sender: string): void {
    const before = this.#senders.get(uuid);
    if (before !== undefined) increment(this.#repeatsAfter, before);
    this.#senders.set(uuid, sender);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
