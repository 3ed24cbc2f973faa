import type { Limit } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { uuid } from '../../base/uuid.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import { type Change, idOf, type Parcel, type ParcelKey, parcelOf, rangeOf } from './parcel.ts';

/** What events of one parcel have in common. */
export type Lane = Pick<Parcel, 'isHigh' | 'session' | 'customer'>;

/** The most of one record. */
const RECORD: Limit = { maxEvents: 500, maxBytes: 48 * 1024 };

/**
 * From the number of one record to that of the next, and from one event of it to the next. Where the order counts, parts of a parcel take
 * its place, each with a number of its own.
 */
const RECORD_STEP = 2 ** 20;
const EVENT_STEP = 2 ** 11;

/**
 * For events that may not overtake each other: is asked for each parcel, the oldest first, and returns whether it may be sent.
 * `isFree`: nothing but older events may be in its way.
 */
export type Order = () => (parcel: Parcel, isFree: boolean) => boolean;

/** One batch at a time, the oldest first. */
export const strictOrder: Order = () => {
  let isOpen = true;
  return (_, isFree) => {
    isOpen &&= isFree;
    return isOpen;
  };
};

/** What a request may have. */
export interface Portion extends Limit {
  /** Events of one customer only. */
  readonly isOne: boolean;
  /** The newest first, unless the order counts. */
  readonly isNewest: boolean;
  readonly mayGo: (parcel: Parcel) => boolean;
  readonly dueAt: (parcel: Parcel) => number;
  readonly now: number;
}

/** All parcels that wait or are under way, the oldest first. The last one is being filled. */
export class Parcels {
  /** Names the records of this page. Pages that were opened later have later names. */
  readonly own: string;
  readonly all: Map<string, Parcel> = new Map();
  /** What storage does not have yet, by the id of a parcel or another name: complete parcels, leases, deletions. */
  readonly changes: Map<string, Change> = new Map();
  /** Of events in memory. */
  bytes = 0;
  epoch = 0;
  filling: Parcel | undefined;
  #numbers = 0;
  readonly #buffer: Limit;
  readonly #record: Limit;
  readonly #order: Order | undefined;
  readonly #settled: (fate: Fate, count: number) => void;

  /** @param order Undefined: those of high priority first. */
  constructor(
    now: number,
    buffer: Limit,
    maxEvents: number,
    order: Order | undefined,
    settled: (fate: Fate, count: number) => void,
  ) {
    this.own = now.toString(36) + uuid();
    this.#order = order;
    this.#buffer = buffer;
    this.#record = { ...RECORD, maxEvents: Math.min(RECORD.maxEvents, maxEvents) };
    this.#settled = settled;
  }

  count(counts: (parcel: Parcel) => boolean): number {
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
    const hasRoom = () =>
      this.bytes + bytes <= maxBytes &&
      (maxEvents === Number.POSITIVE_INFINITY || this.count(({ texts }) => !!texts) < maxEvents);
    if (!hasRoom()) this.trim(0);
    if (!hasRoom()) return false;
    let { filling } = this;
    if (
      !filling ||
      filling.bytes + bytes > this.#record.maxBytes ||
      filling.isHigh !== lane.isHigh ||
      filling.session !== lane.session ||
      filling.customer !== lane.customer
    ) {
      this.seal();
      filling = this.#create(this.own, this.number(), at, [], lane);
      this.filling = filling;
    }
    filling.texts?.push(text);
    filling.count += 1;
    filling.bytes += bytes;
    this.bytes += bytes;
    if (filling.count >= this.#record.maxEvents) this.seal();
    return true;
  }

  /** What is known now has this epoch, or an earlier one. */
  mark(): number {
    this.seal();
    this.epoch += 1;
    return this.epoch - 1;
  }

  seal(): void {
    if (this.filling) this.changes.set(this.filling.id, this.filling);
    this.filling = undefined;
  }

  /** The number of a new record. */
  number(): number {
    this.#numbers += RECORD_STEP;
    return this.#numbers;
  }

  /** Adds a parcel that is stored. */
  found(key: ParcelKey, epoch: number = this.epoch): Parcel {
    return this.all.get(idOf(key)) ?? this.#add(parcelOf(key, undefined, { epoch }));
  }

  loaded(parcel: Parcel, texts: string[]): void {
    parcel.texts = texts;
    this.bytes += parcel.bytes;
  }

  unload(parcel: Parcel): void {
    if (parcel.texts) this.bytes -= parcel.bytes;
    parcel.texts = undefined;
  }

  /** Unloads what is also stored, if more than so many bytes are in memory. */
  trim(bytes: number): void {
    if (this.bytes > bytes)
      for (const parcel of this.all.values())
        if (parcel.isStored && parcel.state === 'waiting') this.unload(parcel);
  }

  /** Its record is deleted. Returns false if it has ended already. @param isGone Its record was deleted by others. */
  end(parcel: Parcel, fate?: Fate, isGone = false): boolean {
    const { id, kept } = parcel;
    if (!this.all.delete(id)) return false;
    parcel.state = 'ended';
    if (parcel === this.filling) this.filling = undefined;
    this.changes.delete(`${id} lease`);
    if (!kept || (isGone && kept === 'stored')) this.changes.delete(id);
    else this.changes.set(id, { key: rangeOf(parcel) });
    this.unload(parcel);
    if (fate) this.#settled(fate, parcel.count);
    return true;
  }

  /** Two parcels take the place of one. */
  cut(parcel: Parcel, count: number): Parcel[] {
    const { at, epoch, number, page, texts = [] } = parcel;
    const parts = [0, count].map((from, index) => {
      const of = texts.slice(from, index === 0 ? count : undefined);
      const [name, place] = this.#order ? [page, number + from * EVENT_STEP + 1] : [this.own, this.number()];
      const part = this.#create(name, place, at, of, parcel, { epoch, state: 'out', isPart: true });
      this.changes.set(part.id, part);
      return part;
    });
    this.end(parcel);
    this.sort();
    return parts;
  }

  /** If the order counts, what was tracked first comes first, and what earlier pages left before that of later ones. */
  sort(): void {
    if (!this.#order) return;
    const sorted = [...this.all.values()].sort((one, other) =>
      one.page === other.page ? one.number - other.number : one.page < other.page ? -1 : 1,
    );
    this.all.clear();
    for (const parcel of sorted) this.all.set(parcel.id, parcel);
  }

  /** The waiting parcels of the next request, and the time at which it is due. */
  next({ maxEvents, maxBytes, isOne, isNewest, mayGo, dueAt, now }: Portion): [Parcel[], number] {
    let later = Number.POSITIVE_INFINITY;
    const free = this.#first((parcel) => {
      const { leasedUntil, state } = parcel;
      if (state !== 'waiting' || !mayGo(parcel)) return false;
      if (leasedUntil > now) later = Math.min(later, leasedUntil);
      return leasedUntil <= now;
    });
    if (!this.#order) {
      const rank = (parcel: Parcel) => (parcel.isHigh ? 0 : dueAt(parcel) > now ? 2 : 1);
      const sign = isNewest ? -1 : 1;
      free.sort((one, other) => rank(one) - rank(other) || sign * (one.at - other.at));
    }
    const next: Parcel[] = [];
    let [events, bytes, at] = [0, 0, Number.POSITIVE_INFINITY];
    for (const parcel of free) {
      const [first = parcel] = next;
      const isApart = parcel !== first && (first.isFrozen || parcel.isFrozen);
      if (isApart || (isOne && parcel.customer !== first.customer)) {
        if (this.#order) break;
        continue;
      }
      events += parcel.count;
      bytes += parcel.bytes;
      const isFull = events > maxEvents || bytes > maxBytes;
      if (isFull && parcel !== first) return [next, 0];
      next.push(parcel);
      at = Math.min(at, isFull ? 0 : dueAt(parcel));
      if (events >= maxEvents) return [next, 0];
    }
    return [next, next.length > 0 ? at : later];
  }

  /** Whether nothing else must be sent before these. @param but What is in this state does not count. */
  areFirst(wanted: readonly Parcel[], but?: Parcel['state']): boolean {
    if (!this.#order) return true;
    const first = this.#first((parcel) => parcel.state === but || wanted.includes(parcel));
    return wanted.every((parcel) => parcel.isAside || first.includes(parcel));
  }

  /** The parcels that may be sent, if they are free and the order does not forbid it. Those that are aside are in nobody's way. */
  #first(isFree: (parcel: Parcel) => boolean): Parcel[] {
    const passes = this.#order?.();
    return [...this.all.values()].filter((parcel) => {
      if (parcel.session || parcel.isAside) return false;
      return passes ? passes(parcel, isFree(parcel)) : isFree(parcel);
    });
  }

  #create(page: string, number: number, at: number, texts: string[], lane: Lane, more: object = {}): Parcel {
    const { customer, isHigh, session } = lane;
    const bytes = texts.reduce((total, text) => total + byteLength(text) + 1, 0);
    const key: ParcelKey = [page, number, texts.length, bytes, at, session];
    this.bytes += bytes;
    return this.#add(parcelOf(key, texts, { isHigh, customer, epoch: this.epoch, ...more }));
  }

  #add(parcel: Parcel): Parcel {
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
  let [pending, unwritten, held, stored, inFlight, journalBytes, oldestAt] = [0, 0, 0, 0, 0, 0, now];
  for (const { at, bytes, count, isStored, session, state, texts } of parcels.all.values()) {
    pending += count;
    if (session) held += count;
    if (state === 'out') inFlight += count;
    if (!isStored) unwritten += count;
    else journalBytes += bytes;
    if (!texts) stored += count;
    oldestAt = Math.min(oldestAt, at);
  }
  const oldestAgeMs = pending > 0 ? now - oldestAt : undefined;
  return {
    pending,
    unwritten,
    held,
    stored,
    inFlight,
    memoryBytes: parcels.bytes,
    journalBytes,
    oldestAgeMs,
  };
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return /[^\0-\x7f]/.test(text) ? encoder.encode(text).length : text.length;
}
