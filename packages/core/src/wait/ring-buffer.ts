import { Deque } from '../base/deque.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Epochs } from '../tell/epochs.ts';
import { Contents, type Memory, type TextWriter } from './contents.ts';
import { LANES } from './lanes.ts';
import { Parcel } from './parcel.ts';
import { Places } from './places.ts';

/** Texts that are written together: a call costs more than the bytes of one text. */
const MOST_TEXTS = 32;
/** Memory that a parcel takes beside its events: measured with 12,000 parcels of one event. */
const PARCEL_BYTES = 4 * 1024;
/** UTF-8 takes at most three bytes for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Memory of the first parcel, in bytes. Later ones start with a little more than the size of the one before. */
const FIRST_BYTES = 1024;
/** A parcel that uses less than this part of its memory moves to a smaller piece. */
const LEAST_USE = 0.5;
/** The next parcel gets this much more memory than the last: its last texts need spare room to be written together. */
const GROWTH = 1.25;

interface RingBufferOptions {
  /** Bounds of all events in it. */
  readonly limit: Limit;
  readonly parcel: Limit;
  readonly isHigh: boolean;
  readonly isOrdered: boolean;
  readonly text: TextWriter;
  readonly memory: Memory;
  readonly epochs: Epochs;
}

/** Where new events go. */
class Filling {
  /** The parcel that takes them; undefined until the next one comes. */
  parcel: Parcel | undefined;
  /** The newest events: they are written to the parcel when there are enough, or somebody looks. */
  texts: string[] = [];
  times: number[] = [];
  /** Their characters, and a comma for each. */
  length = 0;
  /** With this many they are written: the parcel is full then, or it is worth a call. */
  mostTexts = 1;
}

/**
 * A ring of parcels: the newest events, oldest first, bounded by count and bytes. `track()` fills the last one. If the order of each
 * customer counts and more than a batch waits, it fills one parcel for each lane, so that no lane waits for another.
 */
export class RingBuffer {
  readonly #options: RingBufferOptions;
  readonly #onSealed: (parcel: Parcel) => void;
  readonly #parcels = new Deque<Parcel>();
  /** The first one is for all lanes, the others are for one each. */
  readonly #fillings: readonly Filling[];
  #areApart = false;
  /** The number of events and the bytes that a new parcel has room for at first. */
  #size: Limit = { maxEvents: 16, maxBytes: FIRST_BYTES };
  /** All events and their bytes; for those that are not in a parcel yet, their characters. */
  count = 0;
  #bytes = 0;

  /** @param onSealed A parcel takes no more events. */
  constructor(options: RingBufferOptions, onSealed: (parcel: Parcel) => void) {
    this.#options = options;
    this.#onSealed = onSealed;
    this.#fillings = Array.from({ length: options.isOrdered ? LANES + 1 : 1 }, () => new Filling());
  }

  /** Bytes of the events, in UTF-8. */
  get bytes(): number {
    this.#writeAll();
    return this.#bytes;
  }

  /** Memory of all parcels, roughly. Cheaper than `bytes`: counts the characters of the newest events. */
  get roughBytes(): number {
    return this.#bytes + this.#parcels.size * PARCEL_BYTES;
  }

  get first(): Parcel | undefined {
    this.#writeAll();
    return this.#parcels.first;
  }

  /** The oldest parcel that takes new events. */
  get filling(): Parcel | undefined {
    this.#writeAll();
    return this.#fillings
      .flatMap(({ parcel }) => parcel ?? [])
      .sort((one, other) => (one.at ?? 0) - (other.at ?? 0))[0];
  }

  /** All parcels, oldest first. */
  get parcels(): Iterable<Parcel> {
    this.#writeAll();
    return this.#parcels;
  }

  /** Adds an event. Returns false, and changes nothing, if there is no room for it. @param lane Of its customer. */
  push(text: string, time: number, lane: number = 0): boolean {
    const filling = this.#fillingOf(lane);
    const length = text.length + 1;
    const fits = filling && this.#fits(filling, length);
    if (!filling || (!fits && !this.#makeRoom(filling, text))) return false;
    filling.texts.push(text);
    filling.times.push(time);
    filling.length += length;
    this.count += 1;
    this.#bytes += length;
    if (filling.parcel && this.#options.isOrdered) filling.parcel.lanes |= 1 << lane;
    if (filling.texts.length >= filling.mostTexts || !fits) this.#write(filling);
    return true;
  }

  /** No parcel takes more events. */
  seal(): void {
    for (const filling of this.#fillings) this.#seal(filling);
  }

  remove(parcel: Parcel): void {
    for (const filling of this.#fillings) if (filling.parcel === parcel) this.#seal(filling);
    this.#parcels.remove(parcel);
    this.#count(parcel, -1);
  }

  putBack(parcel: Parcel): void {
    this.#parcels.unshift(parcel);
    this.#count(parcel, 1);
  }

  /** Adds a parcel of the newest events. */
  add(parcel: Parcel): void {
    this.#parcels.push(parcel);
    this.#count(parcel, 1);
  }

  /** As `ParcelList.recount()`. */
  recount(): void {
    this.#writeAll();
    this.count = 0;
    this.#bytes = 0;
    for (const filling of this.#fillings) if (filling.parcel?.count === 0) filling.parcel = undefined;
    this.#parcels.filter(({ count }) => count > 0);
    for (const parcel of this.#parcels) this.#count(parcel, 1);
  }

  #fillingOf(lane: number): Filling | undefined {
    const { isOrdered, parcel } = this.#options;
    const isMore = this.count > parcel.maxEvents || this.#bytes > parcel.maxBytes;
    if (this.count === 0) this.#areApart = false;
    else if (isOrdered && !this.#areApart && isMore) {
      // It is written before those of the lanes: the next process reads events in the order in which they were written.
      this.seal();
      this.#areApart = true;
    }
    return this.#fillings[this.#areApart ? lane + 1 : 0];
  }

  #writeAll(): void {
    for (const filling of this.#fillings) this.#write(filling);
  }

  /** Writes the newest events to their parcel. */
  #write(filling: Filling): void {
    const { parcel, texts } = filling;
    if (texts.length === 0 || !parcel) return;
    const { text } = this.#options;
    const { contents } = parcel;
    const joined = texts.join(',');
    const isAscii = text.write(joined, contents.memory, contents.end) === joined.length;
    this.#bytes -= filling.length + contents.length;
    contents.wrote(texts, filling.times, isAscii ? lengthOf : text.byteLength);
    this.#bytes += contents.length;
    parcel.at ??= contents.timeOf(0);
    parcel.places.push(texts.length);
    filling.texts = [];
    filling.times = [];
    filling.length = 0;
    const { maxBytes, maxEvents } = this.#options.parcel;
    if (contents.count >= maxEvents || contents.length >= maxBytes) this.#seal(filling);
    else filling.mostTexts = Math.min(MOST_TEXTS, maxEvents - contents.count);
  }

  /** The parcel takes no more events. */
  #seal(filling: Filling): void {
    this.#write(filling);
    const { parcel } = filling;
    if (!parcel) return;
    const { contents } = parcel;
    filling.parcel = undefined;
    // After its first event, the next parcel tells how many more it takes.
    filling.mostTexts = 1;
    if (contents.length < contents.memory.length * LEAST_USE) contents.resize(contents.length);
    else this.#size = { maxEvents: contents.count, maxBytes: Math.ceil(contents.length * GROWTH) };
    this.#onSealed(parcel);
  }

  #count({ contents }: Parcel, sign: 1 | -1): void {
    this.count += sign * contents.count;
    this.#bytes += sign * contents.length;
  }

  /** Whether a text fits behind those that are not written, whatever its characters. */
  #fits({ parcel, texts, length }: Filling, textLength: number): boolean {
    if (!parcel) return false;
    const { contents } = parcel;
    const { limit, parcel: most } = this.#options;
    const bytes = (length + textLength) * MAX_BYTES_PER_UNIT;
    return (
      contents.count + texts.length < most.maxEvents &&
      this.count < limit.maxEvents &&
      bytes <= contents.spare &&
      contents.length + bytes <= most.maxBytes &&
      this.#bytes - length + bytes <= limit.maxBytes
    );
  }

  /** Makes room for a text in the filling parcel, or in a new one. Returns false if the bounds leave no room. */
  #makeRoom(filling: Filling, text: string): boolean {
    const { limit, parcel } = this.#options;
    this.#write(filling);
    const needed = this.#options.text.byteLength(text) + 1;
    if (this.count >= limit.maxEvents || this.#bytes + needed > limit.maxBytes) return false;
    const { contents } = filling.parcel ?? {};
    if (!contents || contents.count >= parcel.maxEvents || contents.length + needed > parcel.maxBytes) {
      this.#seal(filling);
      filling.parcel = this.#newParcel(needed);
    } else if (contents.spare < needed) {
      const { length } = contents.memory;
      contents.resize(Math.max(length * 2, length + needed));
    }
    return true;
  }

  #newParcel(needed: number): Parcel {
    const { epochs, isHigh, memory } = this.#options;
    const { maxBytes, maxEvents } = this.#size;
    const contents = new Contents(memory, Math.max(maxBytes, needed), maxEvents);
    const parcel = new Parcel(new Places(), epochs.current, isHigh, contents);
    this.#parcels.push(parcel);
    return parcel;
  }
}

function lengthOf(text: string): number {
  return text.length;
}
