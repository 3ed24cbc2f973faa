import { COMMA } from './event-bytes.ts';
import type { EventBytes, Limit } from './journal.ts';

/** How a platform makes byte arrays and writes text into them. */
export interface TextWriter {
  allocate(bytes: number): Uint8Array;
  /** Writes `text` as UTF-8 at `offset`, where it must fit. Returns the bytes written. */
  write(text: string, target: Uint8Array, offset: number): number;
  byteLength(text: string): number;
}

const INITIAL_BYTES = 256 * 1024;
const INITIAL_EVENTS = 1024;
/** An empty ring above this size is given back, so that one burst does not cost its memory for ever. */
const KEPT_BYTES = 8 * 1024 * 1024;
/** UTF-8 takes at most three bytes for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * First in, first out, in one block of bytes that is used round and round. Holds events as UTF-8 with a comma after
 * each, so that neighbours can be written to a file or a request as they lie there. Grows by doubling up to its bounds.
 */
export class RingBuffer {
  readonly #limit: Limit;
  readonly #writer: TextWriter;
  #bytes: Uint8Array;
  #starts = new Uint32Array(INITIAL_EVENTS);
  #lengths = new Uint32Array(INITIAL_EVENTS);
  #times = new Float64Array(INITIAL_EVENTS);
  /** Number of the oldest event, and of the next one; an event's place in the index is its number modulo the size. */
  #head = 0;
  #tail = 0;
  #write = 0;
  #used = 0;

  constructor(limit: Limit, writer: TextWriter) {
    this.#limit = limit;
    this.#writer = writer;
    this.#bytes = writer.allocate(Math.min(INITIAL_BYTES, limit.maxBytes));
  }

  /** Events held. */
  get length(): number {
    return this.#tail - this.#head;
  }

  /** Bytes of the events held. */
  get bytes(): number {
    return this.#used;
  }

  /** When the oldest event was pushed, in milliseconds since 1970; undefined when empty. */
  get oldestAt(): number | undefined {
    return this.length === 0 ? undefined : at(this.#times, this.#head);
  }

  /** Adds an event. False, and nothing changed, where the bounds leave no room for it. */
  push(text: string, time: number): boolean {
    if (this.length >= this.#limit.maxEvents) return false;
    const offset = this.#reserve(text);
    if (offset < 0) return false;
    if (this.length === this.#starts.length) this.#growIndex();
    const length = this.#writer.write(text, this.#bytes, offset);
    this.#bytes[offset + length] = COMMA;
    set(this.#starts, this.#tail, offset);
    set(this.#lengths, this.#tail, length);
    set(this.#times, this.#tail, time);
    this.#tail += 1;
    this.#write = offset + length + 1;
    this.#used += length;
    return true;
  }

  /**
   * The events from the `skip`-th on that lie side by side, within the limit and at least one (there must be one).
   * The bytes are the ring's own: valid until those events are shifted out.
   */
  peek(skip: number, limit: Limit): EventBytes {
    const first = this.#head + skip;
    const start = at(this.#starts, first);
    const ends = new Uint32Array(Math.min(limit.maxEvents, this.#tail - first));
    const times = new Float64Array(ends.length);
    let count = 0;
    let end = start;
    while (count < ends.length) {
      const from = at(this.#starts, first + count);
      const to = from + at(this.#lengths, first + count);
      if (count > 0 && (from !== end + 1 || to - start > limit.maxBytes)) break;
      end = to;
      ends[count] = to - start;
      times[count] = at(this.#times, first + count);
      count += 1;
    }
    return {
      bytes: this.#bytes.subarray(start, end),
      ends: ends.subarray(0, count),
      times: times.subarray(0, count),
    };
  }

  /** Lets go of the oldest `count` events. */
  shift(count: number): void {
    for (let number = this.#head; number < this.#head + count; number += 1) {
      this.#used -= at(this.#lengths, number);
    }
    this.#head += count;
    if (this.length > 0) return;
    this.#write = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = this.#writer.allocate(INITIAL_BYTES);
  }

  /** Where `text` and its comma can be written, growing if need be; -1 where the bounds leave no room. */
  #reserve(text: string): number {
    const roomy = this.#place(text.length * MAX_BYTES_PER_UNIT + 1);
    if (roomy >= 0) return roomy;
    const needed = this.#writer.byteLength(text) + 1;
    let place = this.#place(needed);
    while (place < 0 && this.#grow(needed)) place = this.#place(needed);
    return place;
  }

  #place(needed: number): number {
    const size = this.#bytes.length;
    if (this.length === 0) return needed <= size ? 0 : -1;
    const oldest = at(this.#starts, this.#head);
    if (this.#write <= oldest) return needed <= oldest - this.#write ? this.#write : -1;
    if (needed <= size - this.#write) return this.#write;
    return needed <= oldest ? 0 : -1;
  }

  /** Moves everything to a larger block, in order from its start. False at the bound. */
  #grow(needed: number): boolean {
    const size = this.#bytes.length;
    if (size >= this.#limit.maxBytes) return false;
    const bytes = this.#writer.allocate(Math.min(this.#limit.maxBytes, Math.max(size * 2, size + needed)));
    let to = 0;
    for (let skip = 0; skip < this.length; ) {
      const run = this.peek(skip, { maxEvents: this.length, maxBytes: size });
      bytes.set(run.bytes, to);
      bytes[to + run.bytes.length] = COMMA;
      const moved = to - at(this.#starts, this.#head + skip);
      for (const last = skip + run.ends.length; skip < last; skip += 1) {
        set(this.#starts, this.#head + skip, at(this.#starts, this.#head + skip) + moved);
      }
      to += run.bytes.length + 1;
    }
    this.#bytes = bytes;
    this.#write = to;
    return true;
  }

  #growIndex(): void {
    const size = this.#starts.length * 2;
    const starts = new Uint32Array(size);
    const lengths = new Uint32Array(size);
    const times = new Float64Array(size);
    for (let number = this.#head; number < this.#tail; number += 1) {
      set(starts, number, at(this.#starts, number));
      set(lengths, number, at(this.#lengths, number));
      set(times, number, at(this.#times, number));
    }
    this.#starts = starts;
    this.#lengths = lengths;
    this.#times = times;
  }
}

function at(index: Uint32Array | Float64Array, number: number): number {
  return index[number % index.length] ?? 0;
}

function set(index: Uint32Array | Float64Array, number: number, value: number): void {
  index[number % index.length] = value;
}
