import type { Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { uuid } from '../../base/uuid.ts';
import type { Settings } from '../../options/settings.ts';
import type { Reporter } from '../../tell/reporter.ts';
import { byteLength, type Change, idOf, type Parcel, type ParcelKey, parcelOf, rangeOf } from './parcel.ts';

/** What events of one parcel have in common. */
type Lane = Pick<Parcel, 'isHigh' | 'session' | 'customer'>;

/** The most of one record. */
const RECORD: Limit = { maxEvents: 500, maxBytes: 48 * 1024 };

/** Between the numbers of two records, and of two events of one: where the order counts, parts of a parcel take its place. */
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
interface Portion extends Limit {
  /** Events of one customer only. */
  readonly isOne: boolean;
  /** The newest first, unless the order counts. */
  readonly isNewest: boolean;
  readonly mayGo: (parcel: Parcel) => boolean;
  readonly dueAt: (parcel: Parcel) => number;
  readonly now: number;
}

/** All parcels that wait or are in requests, the oldest first. */
export interface Parcels {
  /** Names the records of this page. Pages that were opened later have later names. */
  readonly own: string;
  readonly all: ReadonlyMap<string, Parcel>;
  /** What storage does not have yet, by the id of a parcel or another name: complete parcels, leases, deletions. */
  readonly changes: Map<string, Change>;
  /** What ended last, here or in other pages: it may still be listed, or a copy of it found in localStorage. */
  readonly past: Set<string>;
  /** Of events in memory. */
  readonly bytes: number;
  /** The last one, while it is filled. */
  readonly filling: Parcel | undefined;
  /** A copy of them. */
  list(): Parcel[];
  /** How many events such parcels have. */
  count(isSuch: (parcel: Parcel) => unknown): number;
  bytesOf(isSuch: (parcel: Parcel) => unknown): number;
  /** Returns false if memory is full. */
  push(text: string, at: number, lane: Lane): boolean;
  /** What is known now has this epoch, or an earlier one. */
  mark(): number;
  seal(): void;
  /** The number of a new record. */
  number(): number;
  /** Adds a parcel that is stored. */
  found(key: ParcelKey, epoch?: number): Parcel;
  loaded(parcel: Parcel, texts: string[]): void;
  unload(parcel: Parcel): void;
  /** Unloads what is also stored, if more than so many bytes are in memory. */
  trim(bytes: number): void;
  /** It ended here: its record is deleted. @param letters How many took its place. If it is given, the events are counted already. */
  end(parcel: Parcel, fate: Fate, letters?: number): void;
  endAll(fate: Fate, isSuch: (parcel: Parcel) => unknown): void;
  /** Others ended it, and deleted its record. */
  gone(parcel: Parcel, fate: Fate | undefined): void;
  /** Two parcels take the place of one. */
  cut(parcel: Parcel, count: number): Parcel[];
  /** If the order counts, what was tracked first comes first, and what earlier pages left before that of later ones. */
  sort(): void;
  /** The waiting parcels of the next request, and the time at which it is due. */
  next(portion: Portion): [Parcel[], number];
  /** Whether nothing else must be sent before these. @param but What is in this state does not count. */
  areFirst(wanted: readonly Parcel[], but?: Parcel['state']): boolean;
}

interface ParcelsOptions {
  readonly settings: Pick<Settings, 'batch' | 'buffer'>;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'settled'>;
  /** Undefined: those of high priority first. */
  readonly order: Order | undefined;
  /** A parcel ended here, or these took its place: other pages must know. */
  readonly ended: (id: string, fate: Fate | undefined, keys?: readonly ParcelKey[]) => void;
}

export function createParcels(options: ParcelsOptions): Parcels {
  const { settings, clock, reporter, order, ended } = options;
  const { batch, buffer } = settings;
  const own = clock.now().toString(36) + uuid();
  const all = new Map<string, Parcel>();
  const changes = new Map<string, Change>();
  const past = new Set<string>();
  let bytes = 0;
  let epoch = 0;
  let filling: Parcel | undefined;
  let numbers = 0;

  const list = () => [...all.values()];

  const sumOf = (field: 'count' | 'bytes') => (isSuch: (parcel: Parcel) => unknown) => {
    let sum = 0;
    for (const parcel of all.values()) if (isSuch(parcel)) sum += parcel[field];
    return sum;
  };
  const count = sumOf('count');

  function seal(): void {
    if (filling) changes.set(filling.id, filling);
    filling = undefined;
  }

  function nextNumber(): number {
    numbers += RECORD_STEP;
    return numbers;
  }

  function add(key: ParcelKey, texts: string[] | undefined, more: Parameters<typeof parcelOf>[2]): Parcel {
    const parcel = parcelOf(key, texts, more);
    all.set(parcel.id, parcel);
    return parcel;
  }

  function loaded(parcel: Parcel, texts: string[]): void {
    parcel.texts = texts;
    bytes += parcel.bytes;
  }

  function unload(parcel: Parcel): void {
    if (parcel.texts) bytes -= parcel.bytes;
    parcel.texts = undefined;
  }

  function trim(most: number): void {
    if (bytes <= most) return;
    for (const parcel of all.values()) if (parcel.isStored && parcel.state === 'waiting') unload(parcel);
  }

  /** Returns false if it has ended already. */
  function remove(parcel: Parcel, isGone: boolean, isPart = false): boolean {
    const { id, kept } = parcel;
    if (!all.delete(id)) return false;
    parcel.state = 'ended';
    if (parcel === filling) filling = undefined;
    changes.delete(`${id} lease`);
    if (!kept || (isGone && kept === 'stored')) changes.delete(id);
    // Of what is held, another page may have stored a record with its customer.
    else changes.set(id, { key: parcel.session ? parcel.key : rangeOf(parcel), isPart });
    unload(parcel);
    return true;
  }

  function end(parcel: Parcel, fate: Fate, letters = -1): void {
    // Nothing is left, also if it has its customer by now.
    if (fate === 'denied') parcel.session = '';
    if (!remove(parcel, false, letters > 0)) return;
    if (!parcel.session && parcel.kept) past.add(parcel.id);
    if (letters < 0) reporter.settled(fate, parcel.count);
    ended(parcel.id, fate);
  }

  function sort(): void {
    if (!order) return;
    const sorted = list().sort((one, other) =>
      one.page === other.page ? one.number - other.number : one.page < other.page ? -1 : 1,
    );
    all.clear();
    for (const parcel of sorted) all.set(parcel.id, parcel);
  }

  /** The parcels that may be sent, if they are free and the order does not forbid it. Those that are aside are in nobody's way. */
  function first(isFree: (parcel: Parcel) => boolean): Parcel[] {
    const passes = order?.();
    return list().filter((parcel) => {
      if (parcel.session || parcel.isAlone) return false;
      return passes ? passes(parcel, isFree(parcel)) : isFree(parcel);
    });
  }

  return {
    ...{ own, all, changes, past, list, count, bytesOf: sumOf('bytes'), seal, loaded, unload, trim, sort },
    number: nextNumber,
    get bytes() {
      return bytes;
    },
    get filling() {
      return filling;
    },
    push(text, at, { isHigh, session, customer }) {
      const size = byteLength(text) + 1;
      const hasRoom = () =>
        bytes + size <= buffer.maxBytes &&
        (buffer.maxEvents === Number.POSITIVE_INFINITY || count(({ texts }) => texts) < buffer.maxEvents);
      if (!hasRoom()) trim(0);
      if (!hasRoom()) return false;
      if (
        !filling ||
        filling.bytes + size > RECORD.maxBytes ||
        filling.isHigh !== isHigh ||
        filling.session !== session ||
        filling.customer !== customer
      ) {
        seal();
        filling = add([own, nextNumber(), 0, 0, at, session], [], { isHigh, customer, epoch });
      }
      filling.texts?.push(text);
      filling.count += 1;
      filling.bytes += size;
      bytes += size;
      if (filling.count >= Math.min(RECORD.maxEvents, batch.maxEvents)) seal();
      return true;
    },
    mark() {
      seal();
      return epoch++;
    },
    found: (key, known = epoch) => all.get(idOf(key)) ?? add(key, undefined, { epoch: known }),
    end,
    endAll(fate, isSuch) {
      for (const parcel of list()) if (isSuch(parcel)) end(parcel, fate);
    },
    gone(parcel, fate) {
      if (remove(parcel, true) && fate) reporter.settled(fate, parcel.count);
    },
    cut(parcel, count) {
      const { at, customer, epoch, isHigh, number: place, page, session, texts = [] } = parcel;
      const isCopy = parcel.isStored || parcel.isCopy;
      const parts = [0, count].map((from, index) => {
        const of = texts.slice(from, index === 0 ? count : undefined);
        const size = of.reduce((total, text) => total + byteLength(text) + 1, 0);
        const [name, number] = order ? [page, place + from * EVENT_STEP + 1] : [own, nextNumber()];
        const key: ParcelKey = [name, number, of.length, size, at, session];
        const part = add(key, of, { customer, epoch, isCopy, isHigh, isPart: true, state: 'out' });
        bytes += size;
        changes.set(part.id, part);
        return part;
      });
      remove(parcel, false, true);
      past.add(parcel.id);
      sort();
      const keys = parts.map(({ key }) => key);
      ended(parcel.id, undefined, keys);
      return parts;
    },
    next({ maxEvents, maxBytes, isOne, isNewest, mayGo, dueAt, now }) {
      let later = Number.POSITIVE_INFINITY;
      const free = first((parcel) => {
        const { leasedUntil, state } = parcel;
        if (state !== 'waiting' || !mayGo(parcel)) return false;
        if (leasedUntil <= now) return true;
        later = Math.min(later, leasedUntil);
        return false;
      });
      if (!order) {
        const rank = (parcel: Parcel) => (parcel.isHigh ? 0 : dueAt(parcel) > now ? 2 : 1);
        const sign = isNewest ? -1 : 1;
        free.sort((one, other) => rank(one) - rank(other) || sign * (one.at - other.at));
      }
      const next: Parcel[] = [];
      let [events, bytes, at] = [0, 0, Number.POSITIVE_INFINITY];
      for (const parcel of free) {
        const [first = parcel] = next;
        // A relay knows by its name what a page sent as it was left.
        const isApart = isOne && parcel !== first && (first.isFrozen || parcel.isFrozen);
        if (isApart || (isOne && parcel.customer !== first.customer)) {
          if (order) break;
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
    },
    areFirst(wanted, but) {
      if (!order) return true;
      const ready = first((parcel) => parcel.state === but || wanted.includes(parcel));
      return wanted.every((parcel) => parcel.isAlone || ready.includes(parcel));
    },
  };
}
