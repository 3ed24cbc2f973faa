import { ClosedError } from '../base/errors/closed-error.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import { type Chunk, ChunkList, readChunks } from './chunk-list.ts';
import type { Journal, Reading } from './journal.ts';

const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
/** The bound is divided into this many segments, so that the oldest one can be given up. */
const SEGMENTS = 8;

interface MemoryChunk extends Chunk {
  readonly events: EventBytes;
}

interface Segment {
  readonly number: number;
  readonly chunks: ChunkList<MemoryChunk>;
  /** Number of events appended to it so far. */
  end: number;
  /** Bytes appended to it so far. `waiting`: the bytes of its chunks that are not released. */
  written: number;
  waiting: number;
}

/** Keeps events in memory until the process ends. Used if there is no storage, and in tests. */
export class MemoryJournal implements Journal {
  readonly kind = 'memory';
  readonly survives = false;
  readonly groupLimit: Limit;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  readonly #segments = new Map<number, Segment>();
  /** The segment that new events go to. */
  #last: Segment | undefined;
  #number = 0;
  #bytes = 0;
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
    return this.#bytes;
  }

  async open(): Promise<void> {}

  async append({ bytes, ends, times }: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    if (this.#bytes + bytes.length > this.#maxBytes) {
      throw new StorageError(
        `the memory journal is full: it holds ${this.#bytes} of ${this.#maxBytes} bytes`,
      );
    }
    const segment = this.#segment();
    const { end: from, number } = segment;
    const to = from + ends.length;
    segment.end = to;
    segment.written += bytes.length;
    segment.waiting += bytes.length;
    this.#bytes += bytes.length;
    // Not `slice()`: on a Buffer it does not copy.
    segment.chunks.push({
      from,
      to,
      bytes: bytes.length,
      events: { bytes: new Uint8Array(bytes), ends, times },
    });
    return { segment: number, from, to };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const chunks = this.#segments.get(range.segment)?.chunks.within(range, limit) ?? [];
    const contents = chunks.map(({ events }) => events);
    const events = readChunks(range, limit, chunks, contents);
    const count = events.ends.length;
    return { events, range: count === 0 ? range : { ...range, to: range.from + count } };
  }

  async acknowledge(range: Range): Promise<void> {
    const segment = this.#segments.get(range.segment);
    if (segment === undefined) return;
    for (const chunk of segment.chunks.acknowledge(range)) {
      segment.waiting -= chunk.bytes;
      this.#bytes -= chunk.bytes;
    }
    if (segment.waiting === 0 && segment !== this.#last) this.#segments.delete(segment.number);
  }

  async sync(): Promise<void> {}

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    const [oldest] = this.#segments.values();
    if (oldest === undefined) return undefined;
    if (oldest === this.#last) this.#last = undefined;
    await rescue?.(oldest.number);
    this.#bytes -= oldest.waiting;
    this.#segments.delete(oldest.number);
    return oldest.number;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** The segment to append to. Starts a new one when the last one is full. */
  #segment(): Segment {
    if (this.#last !== undefined && this.#last.written < this.#segmentBytes) return this.#last;
    if (this.#last?.waiting === 0) this.#segments.delete(this.#last.number);
    this.#number += 1;
    this.#last = { number: this.#number, chunks: new ChunkList(), end: 0, written: 0, waiting: 0 };
    this.#segments.set(this.#number, this.#last);
    return this.#last;
  }
}
