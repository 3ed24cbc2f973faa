import type { Limit } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { uuid } from '../../base/uuid.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import { Parcel, type ParcelKey } from './parcel.ts';

/** What events of one parcel have in common. */
export type Lane = Pick<Parcel, 'isHigh' | 'session' | 'customer'>;

/** The most of one record. */
const RECORD: Limit = { maxEvents: 500, maxBytes: 48 * 1024 };

/** In memory a parcel is filled for no longer. */
const MOST_AGE_MS = 60_000;

/** All parcels that wait or are under way, the oldest first. The last one is being filled. */
export class Parcels {
  /** Names the records of this page. */
  readonly own: string = uuid();
  readonly all: Map<string, Parcel> = new Map();
  /** Complete, and not stored yet. */
  readonly unwritten: Set<Parcel> = new Set();
  /** Of events in memory. */
  bytes = 0;
  epoch = 0;
  /** What is found as the page opens counts to all epochs: a flush waits for it. */
  isOpening = true;
  stay = 0;
  filling: Parcel | undefined;
  #numbers = 0;
  readonly #buffer: Limit;
  readonly #record: Limit;
  readonly #settled: (fate: Fate, count: number) => void;

  constructor(buffer: Limit, maxEvents: number, settled: (fate: Fate, count: number) => void) {
    this.#buffer = buffer;
    this.#record = { ...RECORD, maxEvents: Math.min(RECORD.maxEvents, maxEvents) };
    this.#settled = settled;
  }

  count(counts: (parcel: Parcel) => boolean = () => true): number {
    let count = 0;
    for (const parcel of this.all.values()) if (counts(parcel)) count += parcel.count;
    return count;
  }

  get heldBytes(): number {
    let bytes = 0;
    for (const parcel of this.all.values()) if (parcel.session) bytes += parcel.bytes;
    return bytes;
  }

  /** Returns false if memory is full. */
  push(text: string, at: number, lane: Lane): boolean {
    const bytes = byteLength(text) + 1;
    const { maxBytes, maxEvents } = this.#buffer;
    if (
      this.bytes + bytes > maxBytes ||
      (maxEvents < Number.POSITIVE_INFINITY && this.count(isLoaded) >= maxEvents)
    ) {
      for (const parcel of this.all.values())
        if (parcel.isStored && parcel.state === 'waiting') this.unload(parcel);
      if (this.bytes + bytes > maxBytes || this.count(isLoaded) >= maxEvents) return false;
    }
    let { filling } = this;
    if (
      !filling ||
      filling.count >= this.#record.maxEvents ||
      filling.bytes + bytes > this.#record.maxBytes ||
      at - filling.at > MOST_AGE_MS ||
      filling.isHigh !== lane.isHigh ||
      filling.session !== lane.session ||
      filling.customer !== lane.customer
    ) {
      this.seal();
      filling = this.#create([], at, lane);
      this.filling = filling;
    }
    filling.texts?.push(text);
    filling.count += 1;
    filling.bytes += bytes;
    this.bytes += bytes;
    return true;
  }

  seal(): void {
    if (this.filling) this.unwritten.add(this.filling);
    this.filling = undefined;
  }

  /** Adds a parcel that another page stored. */
  found(key: ParcelKey, epoch: number = this.epoch): Parcel {
    const parcel = this.#add(new Parcel(key));
    parcel.epoch = this.isOpening ? 0 : epoch;
    return parcel;
  }

  loaded(parcel: Parcel, texts: string[]): void {
    parcel.texts = texts;
    this.bytes += parcel.bytes;
  }

  unload(parcel: Parcel): void {
    if (parcel.texts) this.bytes -= parcel.bytes;
    parcel.texts = undefined;
  }

  /** Returns false if it has ended already. */
  end(parcel: Parcel, fate?: Fate): boolean {
    if (!this.all.delete(parcel.id)) return false;
    parcel.state = 'ended';
    if (parcel === this.filling) this.filling = undefined;
    this.unwritten.delete(parcel);
    this.unload(parcel);
    if (fate) this.#settled(fate, parcel.count);
    return true;
  }

  /** Two parcels of this page take the place of one. */
  cut(parcel: Parcel, count: number): Parcel[] {
    const { at, epoch, texts = [] } = parcel;
    const parts = [texts.slice(0, count), texts.slice(count)].map((texts) => {
      const part = this.#create(texts, at, parcel);
      part.epoch = epoch;
      part.state = 'out';
      this.unwritten.add(part);
      return part;
    });
    this.end(parcel);
    return parts;
  }

  /** The waiting parcels of the next request, and the time at which it is due. */
  next(
    limit: Limit,
    mayGo: (parcel: Parcel) => boolean,
    dueAt: (parcel: Parcel) => number,
    now: number,
  ): [Parcel[], number] {
    const next: Parcel[] = [];
    let [events, bytes, at, later] = [0, 0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const isHigh of [true, false]) {
      for (const parcel of this.all.values()) {
        if (parcel.isHigh !== isHigh || parcel.state !== 'waiting' || parcel.session || !mayGo(parcel))
          continue;
        const [first] = next;
        if (first && (first.customer !== parcel.customer || first.isFrozen || parcel.isFrozen)) continue;
        if (parcel.leasedUntil > now) {
          later = Math.min(later, parcel.leasedUntil);
          continue;
        }
        events += parcel.count;
        bytes += parcel.bytes;
        const isFull = events > limit.maxEvents || bytes > limit.maxBytes;
        if (isFull && next.length > 0) return [next, 0];
        next.push(parcel);
        at = Math.min(at, isFull ? 0 : dueAt(parcel));
        if (events >= limit.maxEvents) return [next, 0];
      }
    }
    return [next, next.length > 0 ? at : later];
  }

  #create(texts: string[], at: number, { isHigh, session, customer }: Lane): Parcel {
    const bytes = texts.reduce((total, text) => total + byteLength(text) + 1, 0);
    this.#numbers += 1;
    const parcel = new Parcel([this.own, this.#numbers, texts.length, bytes, at, session], texts);
    this.bytes += bytes;
    return this.#add(Object.assign(parcel, { isHigh, customer, stay: this.stay }));
  }

  #add(parcel: Parcel): Parcel {
    parcel.epoch = this.epoch;
    this.all.set(parcel.id, parcel);
    return parcel;
  }
}

/** What waits, as `stats()` tells it. */
export function statsOf(
  parcels: Parcels,
  now: number,
): Pick<
  TrackerStats,
  'pending' | 'unwritten' | 'held' | 'stored' | 'inFlight' | 'memoryBytes' | 'journalBytes' | 'oldestAgeMs'
> {
  let [journalBytes, oldestAt] = [0, now];
  for (const { at, bytes, isStored } of parcels.all.values()) {
    if (isStored) journalBytes += bytes;
    oldestAt = Math.min(oldestAt, at);
  }
  return {
    pending: parcels.count(),
    unwritten: parcels.count(({ isStored }) => !isStored),
    held: parcels.count(({ session }) => session !== ''),
    stored: parcels.count(({ isStored, texts }) => isStored && !texts),
    inFlight: parcels.count(({ state }) => state === 'out'),
    memoryBytes: parcels.bytes,
    journalBytes,
    oldestAgeMs: parcels.all.size > 0 ? now - oldestAt : undefined,
  };
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return /[^\0-\x7f]/.test(text) ? encoder.encode(text).length : text.length;
}

function isLoaded({ texts }: Parcel): boolean {
  return texts !== undefined;
}
