import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol';
import { Deque } from '../base/deque.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Memory, TextWriter } from './contents.ts';
import { Contents } from './contents.ts';
import type { Epochs } from './epochs.ts';
import { Parcel } from './parcel.ts';
import { Runs } from './runs.ts';

/** Texts that are written together: a call costs more than the bytes of one text. */
const MOST_TEXTS = 32;
/** UTF-8 takes at most three bytes for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Memory of the first parcel, in bytes. Later ones start with the size of the one before. */
const FIRST_BYTES = 1024;

export interface RingBufferOptions {
  /** Bounds of all events in it. */
  readonly limit: Limit;
  /** Bounds of one parcel. */
  readonly parcel: Limit;
  readonly isHigh: boolean;
  readonly text: TextWriter;
  readonly memory: Memory;
  readonly epochs: Epochs;
}

/** A ring of parcels: the newest events, oldest first, bounded by count and bytes. `track()` fills the last one. */
export class RingBuffer {
  readonly #options: RingBufferOptions;
  readonly #parcels = new Deque<Parcel>();
  /** The last parcel, while it takes more events. */
  #filling: Parcel | undefined;
  /** The newest events: they are written to the filling parcel when there are enough, or somebody looks. */
  #texts: string[] = [];
  #times: number[] = [];
  /** Their characters, and a comma for each. */
  #textsLength = 0;
  #size = FIRST_BYTES;
  /** Events in all parcels but the filling one, those that were dropped included, and their bytes. */
  #sealedCount = 0;
  #sealedBytes = 0;

  constructor(options: RingBufferOptions) {
    this.#options = options;
  }

  /** Number of events, those that were dropped included. */
  get length(): number {
    return this.#sealedCount + (this.#filling?.contents.count ?? 0) + this.#texts.length;
  }

  /** Bytes of the events, in UTF-8. */
  get bytes(): number {
    this.write();
    return this.roughBytes;
  }

  /** The same at less cost: of the newest events it counts the characters. */
  get roughBytes(): number {
    return this.#sealedBytes + (this.#filling?.contents.length ?? 0) + this.#textsLength;
  }

  /** When the oldest event was accepted, in milliseconds since 1970; undefined if there is none. */
  get oldestAt(): number | undefined {
    this.write();
    return this.#parcels.first?.at;
  }

  get first(): Parcel | undefined {
    this.write();
    return this.#parcels.first;
  }

  /** All parcels, oldest first. */
  get parcels(): Iterable<Parcel> {
    this.write();
    return this.#parcels;
  }

  /** Adds an event. Returns false, and changes nothing, if there is no room for it. */
  push(text: string, time: number): boolean {
    if (!this.#fits(text.length + 1) && !this.#makeRoom(text)) return false;
    this.#texts.push(text);
    this.#times.push(time);
    this.#textsLength += text.length + 1;
    if (this.#texts.length === MOST_TEXTS) this.write();
    return true;
  }

  /** Writes the newest events to their parcel. */
  write(): void {
    const texts = this.#texts;
    const parcel = this.#filling;
    if (texts.length === 0 || parcel === undefined) return;
    const { text, epochs } = this.#options;
    const { contents } = parcel;
    const joined = texts.join(',');
    const isAscii = text.write(joined, contents.memory, contents.end) === joined.length;
    for (const [index, one] of texts.entries())
      contents.added(isAscii ? one.length : text.byteLength(one), this.#times[index] ?? 0);
    parcel.at ??= contents.timeOf(0);
    parcel.runs.push(epochs.current, texts.length);
    this.#texts = [];
    this.#times = [];
    this.#textsLength = 0;
  }

  /** Removes the oldest parcel. */
  shift(): Parcel | undefined {
    if (this.first === this.#filling) this.#seal();
    const parcel = this.#parcels.shift();
    if (parcel === undefined) return undefined;
    parcel.isFresh = false;
    this.#count(parcel, -1);
    return parcel;
  }

  /** Adds a parcel before all others. If there are none, new events go to it. */
  unshift(parcel: Parcel): void {
    const isFilling = this.#parcels.length === 0;
    this.#parcels.unshift(parcel);
    parcel.isFresh = true;
    parcel.state = isFilling ? 'filling' : 'waiting';
    if (isFilling) this.#filling = parcel;
    else this.#count(parcel, 1);
  }

  #count({ contents }: Parcel, sign: 1 | -1): void {
    this.#sealedCount += sign * contents.count;
    this.#sealedBytes += sign * contents.length;
  }

  /** Whether a text fits behind those that are not written, whatever its characters. */
  #fits(length: number): boolean {
    if (this.#filling === undefined) return false;
    const { limit, parcel } = this.#options;
    const { contents } = this.#filling;
    const count = contents.count + this.#texts.length;
    const most = (this.#textsLength + length) * MAX_BYTES_PER_UNIT;
    return (
      count < parcel.maxEvents &&
      this.#sealedCount + count < limit.maxEvents &&
      most <= contents.spare &&
      contents.length + most <= parcel.maxBytes &&
      this.#sealedBytes + contents.length + most <= limit.maxBytes
    );
  }

  /** Makes room for a text in the filling parcel, or in a new one. Returns false if the bounds leave no room. */
  #makeRoom(text: string): boolean {
    const { limit, parcel, memory } = this.#options;
    this.write();
    const needed = this.#options.text.byteLength(text) + 1;
    if (this.length >= limit.maxEvents || this.roughBytes + needed > limit.maxBytes) return false;
    const { contents } = this.#filling ?? {};
    if (!contents || contents.count >= parcel.maxEvents || contents.length + needed > parcel.maxBytes) {
      this.#seal();
      this.#fill(needed);
    } else if (contents.spare < needed) {
      contents.move(memory.take(Math.max(contents.memory.length * 2, contents.memory.length + needed)));
    }
    return true;
  }

  #seal(): void {
    const parcel = this.#filling;
    if (parcel === undefined) return;
    this.#filling = undefined;
    parcel.state = 'waiting';
    this.#size = parcel.contents.length;
    this.#count(parcel, 1);
  }

  #fill(needed: number): void {
    const { isHigh, memory } = this.#options;
    const contents = new Contents(memory.take(Math.max(this.#size, needed) + BATCH_OVERHEAD_BYTES));
    this.#filling = new Parcel(new Runs(), isHigh, contents);
    this.#filling.state = 'filling';
    this.#filling.isFresh = true;
    this.#parcels.push(this.#filling);
  }
}
