import { Deque } from '../base/deque.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Epochs } from '../tell/epochs.ts';
import { Contents, type Memory, type TextWriter } from './contents.ts';
import { Parcel } from './parcel.ts';
import { Places } from './places.ts';

/** Texts that are written together: a call costs more than the bytes of one text. */
const MOST_TEXTS = 32;
/** UTF-8 takes at most three bytes for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Memory of the first parcel, in bytes. Later ones start with a little more than the size of the one before. */
const FIRST_BYTES = 1024;
/** A parcel that uses less than this part of its memory moves to a smaller piece. */
const LEAST_USE = 0.5;
/** The next parcel may be so much larger than the last. Then its last texts are written together, too: they need room to spare. */
const GROWTH = 1.25;

export interface RingBufferOptions {
  /** Bounds of all events in it. */
  readonly limit: Limit;
  /** Bounds of one parcel. */
  readonly parcel: Limit;
  readonly isHigh: boolean;
  readonly text: TextWriter;
  readonly memory: Memory;
  readonly epochs: Epochs;
  /** Called with each new parcel, before it has events. */
  readonly onNew?: (parcel: Parcel) => void;
}

/** A ring of parcels: the newest events, oldest first, bounded by count and bytes. `track()` fills the last one. */
export class RingBuffer {
  readonly #options: RingBufferOptions;
  readonly #onSealed: (parcel: Parcel) => void;
  readonly #parcels = new Deque<Parcel>();
  /** The last parcel, while it takes more events. */
  #filling: Parcel | undefined;
  /** The newest events: they are written to the filling parcel when there are enough, or somebody looks. */
  #texts: string[] = [];
  #times: number[] = [];
  /** Their characters, and a comma for each. */
  #textsLength = 0;
  /** With this many they are written: the parcel is full then, or it is worth a call. */
  #mostTexts = 1;
  /** The number of events and the bytes that a new parcel has room for at first. */
  #size: Limit = { maxEvents: 16, maxBytes: FIRST_BYTES };
  /** Events in all parcels but the filling one, and their bytes. */
  #sealedCount = 0;
  #sealedBytes = 0;

  /** @param onSealed A parcel takes no more events. */
  constructor(options: RingBufferOptions, onSealed: (parcel: Parcel) => void) {
    this.#options = options;
    this.#onSealed = onSealed;
  }

  /** Number of events. */
  get count(): number {
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

  get first(): Parcel | undefined {
    this.write();
    return this.#parcels.first;
  }

  /** The parcel that takes new events. */
  get filling(): Parcel | undefined {
    this.write();
    return this.#filling;
  }

  /** All parcels, oldest first. */
  get parcels(): Iterable<Parcel> {
    this.write();
    return this.#parcels;
  }

  /** Adds an event. Returns false, and changes nothing, if there is no room for it. */
  push(text: string, time: number): boolean {
    const fits = this.#fits(text.length + 1);
    if (!fits && !this.#makeRoom(text)) return false;
    this.#texts.push(text);
    this.#times.push(time);
    this.#textsLength += text.length + 1;
    if (this.#texts.length >= this.#mostTexts || !fits) this.write();
    return true;
  }

  /** Writes the newest events to their parcel. */
  write(): void {
    const texts = this.#texts;
    const parcel = this.#filling;
    if (texts.length === 0 || !parcel) return;
    const { text } = this.#options;
    const { contents } = parcel;
    const joined = texts.join(',');
    const isAscii = text.write(joined, contents.memory, contents.end) === joined.length;
    contents.wrote(texts, this.#times, isAscii ? lengthOf : text.byteLength);
    parcel.at ??= contents.timeOf(0);
    parcel.places.push(texts.length);
    this.#texts = [];
    this.#times = [];
    this.#textsLength = 0;
    const { maxBytes, maxEvents } = this.#options.parcel;
    if (contents.count >= maxEvents || contents.length >= maxBytes) this.#seal(parcel);
    else this.#mostTexts = Math.min(MOST_TEXTS, maxEvents - contents.count);
  }

  /** The filling parcel takes no more events. */
  seal(): void {
    this.write();
    if (this.#filling) this.#seal(this.#filling);
  }

  /** Removes a parcel, usually one of the first. */
  remove(parcel: Parcel): void {
    if (parcel === this.#filling) this.seal();
    this.#parcels.remove(parcel);
    this.#count(parcel, -1);
  }

  /** Adds a parcel before all others. */
  unshift(parcel: Parcel): void {
    this.#parcels.unshift(parcel);
    this.#count(parcel, 1);
  }

  /** Call this after events of its parcels ended: takes out those that have none. */
  recount(): void {
    this.#sealedCount = 0;
    this.#sealedBytes = 0;
    if (this.#filling?.count === 0) this.#filling = undefined;
    this.#parcels.replace((parcel) => {
      if (parcel.count === 0) return [];
      if (parcel !== this.#filling) this.#count(parcel, 1);
      return [parcel];
    });
  }

  #seal(filling: Parcel): void {
    const { contents } = filling;
    this.#filling = undefined;
    // The first event of the next one tells how many more it takes.
    this.#mostTexts = 1;
    filling.state = 'waiting';
    if (contents.length < contents.memory.length * LEAST_USE) contents.resize(contents.length);
    else this.#size = { maxEvents: contents.count, maxBytes: Math.ceil(contents.length * GROWTH) };
    this.#count(filling, 1);
    this.#onSealed(filling);
  }

  #count({ contents }: Parcel, sign: 1 | -1): void {
    this.#sealedCount += sign * contents.count;
    this.#sealedBytes += sign * contents.length;
  }

  /** Whether a text fits behind those that are not written, whatever its characters. */
  #fits(length: number): boolean {
    if (!this.#filling) return false;
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
    const { limit, parcel } = this.#options;
    const { filling } = this;
    const needed = this.#options.text.byteLength(text) + 1;
    if (this.count >= limit.maxEvents || this.roughBytes + needed > limit.maxBytes) return false;
    const { contents } = filling ?? {};
    if (!contents || contents.count >= parcel.maxEvents || contents.length + needed > parcel.maxBytes) {
      this.seal();
      this.#fill(needed);
    } else if (contents.spare < needed) {
      const { length } = contents.memory;
      contents.resize(Math.max(length * 2, length + needed));
    }
    return true;
  }

  #fill(needed: number): void {
    const { epochs, isHigh, memory } = this.#options;
    const { maxBytes, maxEvents } = this.#size;
    const contents = new Contents(memory, Math.max(maxBytes, needed), maxEvents);
    this.#filling = new Parcel(new Places(), epochs.current, isHigh, contents);
    this.#filling.state = 'filling';
    this.#options.onNew?.(this.#filling);
    this.#parcels.push(this.#filling);
  }
}

function lengthOf(text: string): number {
  return text.length;
}
