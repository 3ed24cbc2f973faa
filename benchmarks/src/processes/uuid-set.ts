import { lifeOf } from './numbered-uuid.ts';

/** The field in Sluice's format. */
const FIELD = '"uuid":"';
const UUID_LENGTH = 36;

/**
 * The uuids of the events in request bodies. It searches the bytes, because parsing would make the receiver the bottleneck.
 * Inside a JSON string these quotes are escaped, so only a payload with a field `uuid` could mislead it.
 */
export class UuidSet {
  readonly #seen = new Set<string>();
  readonly #mark: Buffer;
  /** For each event that came more than once: how many times it came again. */
  readonly #repeats = new Map<string, number>();
  /** The last sender of each event, if it has a name. */
  readonly #senders = new Map<string, string>();
  /** For each sender: how many events came again after it had sent them. */
  readonly #repeatsAfter = new Map<string, number>();
  /**
   * Uuids that are not in the set yet. To fill a set of strings takes longer than all other work of a receiver: done at once, it
   * would slow down a sender of ready bodies.
   */
  #unread: { readonly uuids: Buffer; readonly sender: string | undefined }[] = [];
  /** Events taken, including repeats. */
  received = 0;

  /** @param mark The bytes right before each uuid. */
  constructor(mark: string = FIELD) {
    this.#mark = Buffer.from(mark, 'latin1');
  }

  /** The uuids that arrived. */
  get seen(): ReadonlySet<string> {
    this.#readAll();
    return this.#seen;
  }

  /**
   * Takes the events of a request body. Returns their number.
   *
   * @param sender Who sent the request; undefined for a sender without a name.
   */
  add(body: Buffer, sender?: string): number {
    const places = this.#places(body);
    const uuids = Buffer.allocUnsafeSlow(places.length * UUID_LENGTH);
    for (const [index, at] of places.entries()) body.copy(uuids, index * UUID_LENGTH, at, at + UUID_LENGTH);
    this.#unread.push({ uuids, sender });
    this.received += places.length;
    return places.length;
  }

  /** How often events of these lives came again; each repeat counts. */
  repeatsOf(lives: ReadonlySet<number>): number {
    this.#readAll();
    let total = 0;
    for (const [uuid, repeats] of this.#repeats) if (lives.has(lifeOf(uuid))) total += repeats;
    return total;
  }

  /** The most events that came again after the same sender had sent them. */
  get mostRepeatsAfterOne(): number {
    this.#readAll();
    return Math.max(0, ...this.#repeatsAfter.values());
  }

  clear(): void {
    this.#repeats.clear();
    this.#senders.clear();
    this.#repeatsAfter.clear();
    this.#seen.clear();
    this.#unread = [];
    this.received = 0;
  }

  /** The positions of uuids. Searches the mark without its first byte, usually a quote, because a body has too many quotes. */
  #places(body: Buffer): number[] {
    const places: number[] = [];
    const [first] = this.#mark;
    const rest = this.#mark.subarray(1);
    for (let at = body.indexOf(rest); at >= 0; at = body.indexOf(rest, at)) {
      const isMark = body[at - 1] === first;
      at += rest.length;
      if (isMark) places.push(at);
    }
    return places;
  }

  #readAll(): void {
    for (const { uuids, sender } of this.#unread) {
      for (let at = 0; at < uuids.length; at += UUID_LENGTH) {
        const uuid = uuids.toString('latin1', at, at + UUID_LENGTH);
        const before = this.#seen.size;
        this.#seen.add(uuid);
        if (this.#seen.size === before) increment(this.#repeats, uuid);
        if (sender !== undefined) this.#noteSender(uuid, sender);
      }
    }
    this.#unread = [];
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
