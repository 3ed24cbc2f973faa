import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { COMMA, sliceEvents } from '../base/event-bytes.ts';
import type { Bodies } from './body-memory.ts';

/** How a platform makes byte arrays and writes text into them. */
export interface TextWriter {
  allocate(bytes: number): Uint8Array;
  /** Writes `text` as UTF-8 at `offset`, where it must fit. Returns the bytes written. */
  write(text: string, target: Uint8Array, offset: number): number;
  byteLength(text: string): number;
  createBodies(): Bodies;
  /** Memory is taken in blocks of so many bytes: enough for a write, few enough to be in the processor's cache still when it is made. */
  readonly blockBytes: number;
  /** Room behind a block for what texts may take and mostly do not: up to there they are written together. Default: 0. */
  readonly spareBytes?: number;
  /** What the journal holds as well takes at most so much memory, in bytes: it can be read back. */
  readonly mostWrittenBytes: number;
}

/** Events that are smaller fill a block before its bytes are used up. */
const LEAST_EVENT_BYTES = 128;
/** Blocks that are kept to be used again: the memory of a burst is not held for ever. */
const MOST_KEPT = 4;
/** UTF-8 takes at most three bytes for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Written at once: a call costs more than the bytes of one text do. */
const MOST_TEXTS = 32;

/** Events side by side. */
class Block {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly times: Float64Array;
  /** Events that were pushed, and of these, shifted out. */
  count = 0;
  first = 0;
  /** Where the next event goes. */
  end = 0;
  next: Block | undefined;
  /** With so many bytes it is full. */
  readonly full: number;

  constructor(bytes: Uint8Array, events: number, full: number) {
    this.bytes = bytes;
    this.full = full;
    this.ends = new Uint32Array(events);
    this.times = new Float64Array(events);
  }

  get length(): number {
    return this.count - this.first;
  }

  /** Whether it takes so many more events, of so many bytes and at most `most`, the comma after each included. */
  hasRoom(events: number, needed: number, most: number = needed): boolean {
    const { count, end, ends, bytes } = this;
    return count + events <= ends.length && end + needed <= this.full && end + most <= bytes.length;
  }

  startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0) + 1;
  }

  clear(): void {
    this.count = 0;
    this.first = 0;
    this.end = 0;
    this.next = undefined;
  }
}

/**
 * First in, first out, in a chain of blocks that are used again and again. Holds events as UTF-8 with a comma after each, so
 * that neighbours can be written to a file or a request as they lie there. Nothing is ever moved.
 */
export class RingBuffer {
  readonly #limit: Limit;
  readonly #writer: TextWriter;
  #first: Block | undefined;
  #last: Block | undefined;
  readonly #free: Block[] = [];
  /** The newest events, which the last block has room for; written into it when there are enough, or somebody looks. */
  #texts: string[] = [];
  /** Their characters, and a comma after each. */
  #textsLength = 0;
  #length = 0;
  /** Bytes of the events and of the comma after each, where all that is not written is ASCII. */
  #used = 0;

  constructor(limit: Limit, writer: TextWriter) {
    this.#limit = limit;
    this.#writer = writer;
  }

  /** Events held. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of the events held. */
  get bytes(): number {
    this.#write();
    return this.roughBytes;
  }

  /** The same, at less cost: of the newest events it counts the characters. */
  get roughBytes(): number {
    return this.#used - this.#length;
  }

  /** When the oldest event was pushed, in milliseconds since 1970; undefined when empty. */
  get oldestAt(): number | undefined {
    return this.#length === 0 ? undefined : this.timeOf(0);
  }

  /** Adds an event. False, and nothing changed, where the bounds leave no room for it. */
  push(text: string, time: number): boolean {
    const block = this.#blockFor(text);
    if (block === undefined) return false;
    block.times[block.count + this.#texts.length] = time;
    this.#texts.push(text);
    this.#textsLength += text.length + 1;
    this.#length += 1;
    this.#used += text.length + 1;
    if (this.#texts.length === MOST_TEXTS) this.#write();
    return true;
  }

  /**
   * The events from the `skip`-th on that lie side by side, within the limit and at least one (there must be one).
   * The bytes are the ring's own: valid until those events are shifted out.
   */
  peek(skip: number, limit: Limit): EventBytes {
    const { block, index } = this.#find(skip);
    const { bytes, count, ends, times } = block;
    const events = { bytes, ends: ends.subarray(0, count), times: times.subarray(0, count) };
    return sliceEvents(events, index, limit);
  }

  /** When the `skip`-th event was pushed (there must be one). */
  timeOf(skip: number): number | undefined {
    const { block, index } = this.#find(skip);
    return block.times[index];
  }

  /** Lets go of the oldest `count` events. */
  shift(count: number): void {
    this.#write();
    for (let left = count, block = this.#first; left > 0 && block !== undefined; ) {
      const taken = Math.min(left, block.length);
      this.#used -= block.startOf(block.first + taken) - block.startOf(block.first);
      this.#length -= taken;
      block.first += taken;
      left -= taken;
      block = block.length === 0 ? this.#letGo(block) : block;
    }
  }

  #find(skip: number): { block: Block; index: number } {
    this.#write();
    let block = this.#first;
    let index = skip;
    for (; block !== undefined && index >= block.length; block = block.next) index -= block.length;
    if (block === undefined) throw new RangeError(`there is no event behind ${skip} others`);
    return { block, index: block.first + index };
  }

  /** The block to write `text` to; undefined where the bounds leave no room. */
  #blockFor(text: string): Block | undefined {
    const { maxBytes, maxEvents } = this.#limit;
    if (this.#length >= maxEvents) return undefined;
    const least = text.length + 1;
    if (this.#isRoomy(least)) return this.#last;
    this.#write();
    if (this.#isRoomy(least)) return this.#last;
    const needed = this.#writer.byteLength(text) + 1;
    if (this.#used + needed > maxBytes) return undefined;
    return this.#last?.hasRoom(1, needed) ? this.#last : this.#addBlock(needed);
  }

  /** Whether one more text fits behind those that are not written, whatever they are made of. */
  #isRoomy(least: number): boolean {
    const length = this.#textsLength + least;
    const most = length * MAX_BYTES_PER_UNIT;
    if (this.#used + most > this.#limit.maxBytes) return false;
    return this.#last?.hasRoom(this.#texts.length + 1, length, most) ?? false;
  }

  /** Writes what is not written yet. */
  #write(): void {
    const texts = this.#texts;
    const block = this.#last;
    if (texts.length === 0 || block === undefined) return;
    const joined = texts.join(',');
    const written = this.#writer.write(joined, block.bytes, block.end);
    const isAscii = written === joined.length;
    for (const text of texts) {
      const end = block.end + (isAscii ? text.length : this.#writer.byteLength(text));
      block.bytes[end] = COMMA;
      block.ends[block.count] = end;
      block.count += 1;
      block.end = end + 1;
    }
    this.#used += written - joined.length;
    this.#texts = [];
    this.#textsLength = 0;
  }

  #addBlock(needed: number): Block {
    const { allocate, blockBytes, spareBytes = 0 } = this.#writer;
    const block =
      needed > blockBytes
        ? new Block(allocate(needed), 1, needed)
        : (this.#free.pop() ??
          new Block(allocate(blockBytes + spareBytes), blockBytes / LEAST_EVENT_BYTES, blockBytes));
    if (this.#last === undefined) this.#first = block;
    else this.#last.next = block;
    this.#last = block;
    return block;
  }

  /** Takes an empty block, the first one, out of the chain. Returns the one behind it. */
  #letGo(block: Block): Block | undefined {
    this.#first = block.next;
    if (this.#first === undefined) this.#last = undefined;
    block.clear();
    if (block.full === this.#writer.blockBytes && this.#free.length < MOST_KEPT) this.#free.push(block);
    return this.#first;
  }
}
