import { ClosedError } from '../errors/closed-error.ts';
import { StorageError } from '../errors/storage-error.ts';
import { mergeEvents, sliceEvents } from '../event-bytes.ts';
import {
  type EventBytes,
  type Journal,
  type Limit,
  NO_EVENTS,
  type Range,
  type Reading,
} from '../journal.ts';
import { type Chunk, ChunkList } from './chunk-list.ts';

const SEGMENT = 1;
const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };

interface MemoryChunk extends Chunk {
  readonly events: EventBytes;
}

/** Keeps events as long as the process lives. For where there is no storage, and for tests. */
export class MemoryJournal implements Journal {
  readonly kind = 'memory';
  readonly survives = false;
  readonly groupLimit: Limit = GROUP_LIMIT;
  readonly #maxBytes: number;
  readonly #chunks = new ChunkList<MemoryChunk>();
  #next = 0;
  #bytes = 0;
  #closed = false;

  /** @param maxBytes Upper bound of the events kept, in bytes; above it `append` rejects. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    const from = this.#next;
    this.#next += ends.length;
    this.#bytes += bytes.length;
    // Not slice(): that of a Buffer copies nothing.
    this.#chunks.push({ from, to: this.#next, events: { bytes: new Uint8Array(bytes), ends, times } });
    return { segment: SEGMENT, from, to: this.#next };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const parts: EventBytes[] = [];
    let { from: to } = range;
    let bytes = 0;
    // What was appended bit by bit is read in one go.
    for (
      let chunk = this.#chunks.find(to);
      chunk !== undefined && to < range.to;
      chunk = this.#chunks.find(to)
    ) {
      const maxEvents = Math.min(range.to, range.from + limit.maxEvents) - to;
      const part = sliceEvents(chunk.events, to - chunk.from, {
        maxEvents,
        maxBytes: limit.maxBytes - bytes,
      });
      if (maxEvents <= 0 || (bytes > 0 && bytes + part.bytes.length > limit.maxBytes)) break;
      parts.push(part);
      to += part.ends.length;
      bytes += part.bytes.length + 1;
    }
    if (parts.length === 0) return { events: NO_EVENTS, range };
    return { events: mergeEvents(parts), range: { ...range, to } };
  }

  async acknowledge(range: Range): Promise<void> {
    for (const chunk of this.#chunks.acknowledge(range)) this.#bytes -= chunk.events.bytes.length;
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
  }
}
