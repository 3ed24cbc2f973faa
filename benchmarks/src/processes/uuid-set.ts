import { lifeOf } from './numbered-uuid.ts';

/** Sluice's field. */
const FIELD = '"uuid":"';
const UUID_LENGTH = 36;

/**
 * The uuids of the events in request bodies. They are searched for as bytes, since parsing would make the receiver the
 * bottleneck. Inside a JSON string these quotes are escaped, so that only a payload with a field `uuid` would mislead it.
 */
export class UuidSet {
  readonly #seen = new Set<string>();
  readonly #mark: Buffer;
  /** How many times more than once each of those came that came more than once. */
  readonly #repeats = new Map<string, number>();
  /** Who sent each event last, of those that have a name. */
  readonly #senders = new Map<string, string>();
  /** How many events came again after each of them had sent them. */
  readonly #repeatsAfter = new Map<string, number>();
  /**
   * What came since somebody asked. A set of texts takes longer to fill than all else that a receiver does: one that did so at
   * once would be the bottleneck of whoever sends what is ready.
   */
  #unread: { readonly uuids: Buffer; readonly sender: string | undefined }[] = [];
  /** Events taken, repeated ones included. */
  received = 0;

  /** @param mark What stands right before each uuid, byte for byte. */
  constructor(mark: string = FIELD) {
    this.#mark = Buffer.from(mark, 'latin1');
  }

  /** The uuids that came. */
  get seen(): ReadonlySet<string> {
    this.#readAll();
    return this.#seen;
  }

  /**
   * Takes the events of a request body. Returns how many there are.
   *
   * @param sender Whose request it is; undefined for one without a name.
   */
  add(body: Buffer, sender?: string): number {
    const places = this.#places(body);
    const uuids = Buffer.allocUnsafeSlow(places.length * UUID_LENGTH);
    for (const [index, at] of places.entries()) body.copy(uuids, index * UUID_LENGTH, at, at + UUID_LENGTH);
    this.#unread.push({ uuids, sender });
    this.received += places.length;
    return places.length;
  }

  /** How many of the events that these lives tracked came more than once; each repeat counts. */
  repeatsOf(lives: ReadonlySet<number>): number {
    this.#readAll();
    let total = 0;
    for (const [uuid, repeats] of this.#repeats) if (lives.has(lifeOf(uuid))) total += repeats;
    return total;
  }

  /** The most events that came again after one sender had sent them. */
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

  /** Where uuids begin. The mark is looked for without its first byte, a quote as a rule: of those there are too many. */
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
