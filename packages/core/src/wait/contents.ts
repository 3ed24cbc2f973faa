import { BATCH_HEAD_LENGTH, BATCH_OVERHEAD_BYTES, encloseBatch } from '@sluice/protocol/toolbox';
import { COMMA, type EventBytes, sliceEvents } from '../base/event-bytes.ts';

/** How a platform provides memory and writes text into it. */
export interface TextWriter {
  /** Writes `text` as UTF-8 at `offset`, where it must fit. Returns the bytes written. */
  write(text: string, target: Uint8Array, offset: number): number;
  byteLength(text: string): number;
  /** Events that the journal holds as well take at most this much memory, in bytes: they can be read back. */
  readonly mostWrittenBytes: number;
  createMemory(): Memory;
}

export interface Memory {
  /** Memory of at least this size, in bytes. */
  take(bytes: number): Uint8Array;
  /** Nobody reads what is in it any more. */
  give(memory: Uint8Array): void;
}

/** Events in memory as the body of a request: head, events with commas between them, tail. */
export class Contents {
  /** Number of events. */
  count = 0;
  /** Bytes of the events and of the commas between them. */
  length = 0;
  memory: Uint8Array;
  readonly #source: Memory;
  /** Where each event ends, and when it was accepted. Others may read these arrays: the parts that are used do not change. */
  #ends: Uint32Array;
  #times: Float64Array;

  /** @param bytes Room for the events, commas included. @param events There is room for this many at first. */
  constructor(source: Memory, bytes: number, events: number = 0) {
    this.#source = source;
    this.memory = source.take(bytes + BATCH_OVERHEAD_BYTES);
    this.#ends = new Uint32Array(events);
    this.#times = new Float64Array(events);
  }

  /** Bytes that are left for more events and the commas before them. */
  get spare(): number {
    return this.memory.length - this.length - BATCH_OVERHEAD_BYTES;
  }

  /** Where the next event goes. */
  get end(): number {
    return BATCH_HEAD_LENGTH + this.length + (this.count > 0 ? 1 : 0);
  }

  get events(): EventBytes {
    return {
      bytes: this.memory.subarray(BATCH_HEAD_LENGTH, BATCH_HEAD_LENGTH + this.length),
      ends: this.#ends.subarray(0, this.count),
      times: this.#times.subarray(0, this.count),
    };
  }

  /** When an event was accepted. Undefined if that is not known, or if there is no such event. */
  timeOf(index: number): number | undefined {
    const time = index < this.count ? this.#times[index] : undefined;
    return Number.isNaN(time) ? undefined : time;
  }

  /** Moves the events to other memory, with room for so many bytes of events. Nobody else may read them now. */
  resize(bytes: number): void {
    const memory = this.#source.take(bytes + BATCH_OVERHEAD_BYTES);
    memory.set(this.memory.subarray(0, this.end));
    this.release();
    this.memory = memory;
  }

  /** Nobody reads the events any more: their memory may be used again. */
  release(): void {
    this.#source.give(this.memory);
  }

  /** Copies events, joined, to other memory. */
  copy(...groups: readonly EventBytes[]): Contents {
    const length = groups.reduce((sum, { bytes }) => sum + bytes.length + 1, 0);
    const body = new Contents(this.#source, length);
    for (const group of groups) body.addAll(group);
    return body;
  }

  /** These texts were written to `end`, with commas between them. */
  wrote(texts: readonly string[], times: readonly number[], byteLength: (text: string) => number): void {
    this.#makeRoom(texts.length);
    this.#addComma();
    let end = this.length - 1;
    for (let index = 0; index < texts.length; index += 1) {
      end += 1 + byteLength(texts[index] ?? '');
      this.#ends[this.count + index] = end;
      this.#times[this.count + index] = times[index] ?? 0;
    }
    this.length = end;
    this.count += texts.length;
  }

  /** Copies events behind those that are here. There must be room for them. If there are none yet, it shares the given indexes. */
  addAll({ bytes, ends, times }: EventBytes): void {
    const count = ends.length;
    if (count === 0) return;
    if (this.count === 0 && times) {
      this.#ends = ends;
      this.#times = times;
    } else {
      this.#makeRoom(count);
      this.#addComma();
      for (let index = 0; index < count; index += 1) {
        this.#ends[this.count + index] = this.length + (ends[index] ?? 0);
        this.#times[this.count + index] = times?.[index] ?? Number.NaN;
      }
    }
    this.memory.set(bytes, BATCH_HEAD_LENGTH + this.length);
    this.count += count;
    this.length += bytes.length;
  }

  /** As `addAll`. Makes room for more of them, up to `maxBytes`, so that not all of them move each time. */
  append(events: EventBytes, maxBytes: number): void {
    const needed = this.length + 1 + events.bytes.length;
    const most = this.count === 0 ? needed : Math.min(maxBytes, needed * 2);
    if (this.spare < events.bytes.length + 1) this.resize(Math.max(needed, most));
    this.addAll(events);
  }

  /** Events from one index to another (exclusive), at most `maxBytes` of them, but at least one. Copies no bytes. */
  slice(from: number, to: number, maxBytes: number = Number.POSITIVE_INFINITY): EventBytes {
    if (from === 0 && to === this.count && this.length <= maxBytes) return this.events;
    return sliceEvents(this.events, from, { maxEvents: to - from, maxBytes });
  }

  enclose(): Uint8Array {
    return encloseBatch(this.memory, this.length);
  }

  #addComma(): void {
    if (this.count === 0) return;
    this.memory[BATCH_HEAD_LENGTH + this.length] = COMMA;
    this.length += 1;
  }

  #makeRoom(count: number): void {
    const least = this.count + count;
    if (least <= this.#ends.length) return;
    const ends = new Uint32Array(Math.max(least, this.#ends.length * 2));
    const times = new Float64Array(ends.length);
    ends.set(this.#ends);
    times.set(this.#times);
    this.#ends = ends;
    this.#times = times;
  }
}
