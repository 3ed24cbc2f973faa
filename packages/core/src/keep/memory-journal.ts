import { ClosedError } from '../base/errors/closed-error.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Journal, Reading } from './journal.ts';
import { type Kept, type Piece, RecordList, readPieces } from './record-list.ts';

const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
/** The bound is divided into this many segments, so that the oldest one can be given up. */
const SEGMENTS = 8;

interface MemoryRecord extends Kept, Range {
  /** The events, until all are released. */
  piece: Piece | undefined;
}

/** Keeps events in memory until the process ends. Used if there is no storage, and in tests. */
export class MemoryJournal implements Journal {
  readonly kind = 'memory';
  readonly survives = false;
  readonly groupLimit: Limit;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  /** The records of all segments. The index of an event is different in all of them. */
  readonly #records = new RecordList<MemoryRecord>();
  /** The segment that new events go to, and how much was appended to it. */
  #segment = 1;
  #appendedBytes = 0;
  #next = 0;
  #closed = false;
  /** What is rescued from a segment that is given up is in both for a moment. */
  #isRescuing = false;

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
    return this.#records.bytes;
  }

  async open(): Promise<void> {}

  async append({ bytes, ends, times }: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    if (!this.#isRescuing && this.bytes + bytes.length > this.#maxBytes)
      throw new StorageError('the memory journal is full');
    if (this.#appendedBytes >= this.#segmentBytes) this.#rotate();
    this.#appendedBytes += bytes.length;
    const from = this.#next;
    const to = from + ends.length;
    this.#next = to;
    const range = { segment: this.#segment, from, to };
    // Not `slice()`: on a Buffer it does not copy.
    const piece = { from, bytes: new Uint8Array(bytes), ends, times };
    this.#records.add({ ...range, bytes: bytes.length, rest: [range], piece });
    return range;
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const pieces = this.#records.within(range, limit).flatMap(({ piece }) => piece ?? []);
    return readPieces(range, limit, pieces);
  }

  async acknowledge(range: Range): Promise<void> {
    for (const record of this.#records.release(range)) if (record.rest.length === 0) record.piece = undefined;
  }

  async sync(): Promise<void> {}

  get oldest(): number | undefined {
    const segment = this.#oldest();
    return segment === this.#segment ? undefined : segment;
  }

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    const segment = this.#oldest();
    if (segment === undefined) return undefined;
    // Events that are appended meanwhile do not go with it.
    if (segment === this.#segment) this.#rotate();
    this.#isRescuing = true;
    try {
      await rescue?.(segment);
    } finally {
      this.#isRescuing = false;
    }
    for (const record of this.#records.all.filter((record) => record.segment === segment))
      await this.acknowledge(record);
    return segment;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #oldest(): number | undefined {
    return this.#records.all.find(({ rest }) => rest.length > 0)?.segment;
  }

  #rotate(): void {
    this.#segment += 1;
    this.#appendedBytes = 0;
  }
}
