import { ClosedError } from '../base/errors/closed-error.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Journal, Reading } from './journal.ts';
import { type Kept, type Piece, RecordList, readPieces } from './record-list.ts';

const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
/** The bound is divided into this many segments, so that the oldest one can be given up. */
const SEGMENTS = 8;

interface MemoryRecord extends Kept {
  readonly piece: Piece;
}

/** Keeps events in memory until the process ends. Used if there is no storage, and in tests. */
export class MemoryJournal implements Journal {
  readonly kind = 'memory';
  readonly survives = false;
  readonly groupLimit: Limit;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  readonly #segments = new Map<number, RecordList<MemoryRecord>>();
  /** The segment that new events go to. */
  #last = 0;
  #next = 0;
  #closed = false;

  /**
   * @param maxBytes Upper bound of the kept events, in bytes. Above it `append` rejects.
   * @param budgetBytes The bound that the caller keeps by giving up the oldest segment, in bytes. Default: `maxBytes`.
   */
  constructor(maxBytes: number, budgetBytes: number = maxBytes) {
    this.#maxBytes = maxBytes;
    this.#segmentBytes = Math.ceil(Math.min(maxBytes, budgetBytes) / SEGMENTS);
    this.groupLimit = { ...GROUP_LIMIT, maxBytes: Math.min(GROUP_LIMIT.maxBytes, this.#segmentBytes) };
  }

  get bytes(): number {
    let bytes = 0;
    for (const records of this.#segments.values()) bytes += records.bytes;
    return bytes;
  }

  async open(): Promise<void> {}

  async append({ bytes, ends, times }: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    const held = this.bytes;
    if (held + bytes.length > this.#maxBytes)
      throw new StorageError(`the memory journal is full: it holds ${held} of ${this.#maxBytes} bytes`);
    let records = this.#segments.get(this.#last);
    if (records === undefined || records.bytes >= this.#segmentBytes) {
      records = new RecordList();
      this.#last += 1;
      this.#segments.set(this.#last, records);
    }
    const from = this.#next;
    const to = from + ends.length;
    this.#next = to;
    // Not `slice()`: on a Buffer it does not copy.
    const piece = { from, bytes: new Uint8Array(bytes), ends, times };
    records.add({ from, to, bytes: bytes.length, rest: [{ from, to }], piece });
    return { segment: this.#last, from, to };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const pieces = this.#segments.get(range.segment)?.within(range, limit) ?? [];
    const events = readPieces(
      range,
      limit,
      pieces.map(({ piece }) => piece),
    );
    const count = events.ends.length;
    return { events, range: count === 0 ? range : { ...range, to: range.from + count } };
  }

  async acknowledge(range: Range): Promise<void> {
    const { segment } = range;
    const records = this.#segments.get(segment);
    if (records === undefined) return;
    for (const record of records.release(range)) if (record.rest.length === 0) records.remove(record);
    if (records.bytes === 0 && segment !== this.#last) this.#segments.delete(segment);
  }

  async sync(): Promise<void> {}

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    const [oldest] = this.#segments.keys();
    if (oldest === undefined) return undefined;
    // What is appended meanwhile does not go with it.
    if (oldest === this.#last) this.#last += 1;
    await rescue?.(oldest);
    this.#segments.delete(oldest);
    return oldest;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}
