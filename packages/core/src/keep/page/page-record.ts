import { promisifyRequest } from 'idb-keyval';
import { type EventBytes, sliceEvents } from '../../base/event-bytes.ts';
import type { Range, Span } from '../../base/range.ts';
import { type Kept, type Piece, RecordList } from '../record-list.ts';
import { STORE_KEYS } from './indexeddb-store.ts';

/** The key of a stored record: the life that appended its events, their indexes in it, and their size. */
export type EventKey = [life: string, from: number, to: number, bytes: number];
/** In place of the size. */
export const LEASE = -1;
/**
 * The key of a lease: the events are in a request of some page. Until that time, other pages do not send them. `wasAlive` is `ALIVE`
 * if a page had an answer in the minute before, and `SENT` if the service has the events: a service worker had the answer.
 */
export type LeaseKey = [...EventKey, until: number, forMs: number, wasAlive: number];
export const ALIVE = 1;
export const SENT = 2;
/** The key of a pause. How long it is, from when it was stored, tells a clock that was set back since. */
export type PauseKey = [until: number, failures: number, forMs: number];

/** A tracker in a page: this one, or another one that left records. */
export interface Life {
  readonly id: string;
  readonly segment: number;
  readonly records: RecordList<PageRecord>;
}

/** A record as this page came to know it. Storage has all of it, or what is left of it, in one record or more. */
export interface PageRecord extends Kept {
  readonly life: Life;
  /** Whether it is written. */
  isStored: boolean;
  /** What the tracker knows of. What another page leased is not for it yet. */
  known: readonly Span[];
}

export function createLife(id: string, segment: number): Life {
  return { id, segment, records: new RecordList() };
}

/** A record as its key says that it is stored, or is to be stored. */
export function createRecord(life: Life, [, from, to, bytes]: EventKey, isStored: boolean): PageRecord {
  const all = [{ from, to }];
  return { life, from, to, bytes, rest: all, isStored, known: isStored ? [] : all };
}

export function rangeOf({ life, from, to }: PageRecord): Range {
  return { segment: life.segment, from, to };
}

/** A lease of events of a life. */
export interface Lease extends Span {
  readonly isRunning: boolean;
  /** As in its key. */
  readonly wasAlive: number;
}

/** A stored record. */
interface ListedRecord {
  readonly key: EventKey;
  /** The one that ends last is first. */
  readonly leases: readonly Lease[];
}

/** No size of ours, in bytes, and no time of ours, in milliseconds, is that large. */
const TOO_MUCH = 2 ** 32;

/** Whether a key is one that Sluice makes. Any script of the origin can write others. */
export function isOurs(key: unknown): key is EventKey | LeaseKey | PauseKey {
  if (!Array.isArray(key)) return false;
  const [until, failures, forMs] = key;
  const isPause = key.length === 3;
  // The numbers of a pause have the same bounds as those of a lease.
  const [id, from, to, bytes, ...times] = isPause ? ['', failures, failures + 1, LEASE, until, forMs] : key;
  const isLease = bytes === LEASE;
  return (
    typeof id === 'string' &&
    [from, to, bytes].every(Number.isSafeInteger) &&
    from >= 0 &&
    from < to &&
    times.length === (isPause ? 2 : isLease ? 3 : 0) &&
    times.every(Number.isFinite) &&
    // An event takes a byte or more.
    (isLease || to - from <= bytes) &&
    (times[1] ?? bytes) < TOO_MUCH
  );
}

/** What the keys of a database say. */
export interface Listed {
  readonly pauses: readonly PauseKey[];
  readonly records: ListedRecord[];
  /** Keys that are not ours. */
  readonly odd: readonly IDBValidKey[];
}

/** @param ends Whether leases end. */
export function readKeys(keys: readonly IDBValidKey[], now: number, ends: boolean = true): Listed {
  const all: (EventKey | LeaseKey | PauseKey)[] = [];
  const odd: IDBValidKey[] = [];
  for (const key of keys) {
    if (isOurs(key)) all.push(key);
    else if (!STORE_KEYS.includes(key)) odd.push(key);
  }
  const isPause = (key: (typeof all)[number]): key is PauseKey => typeof key[0] === 'number';
  const isLease = (key: (typeof all)[number]): key is LeaseKey => key[3] === LEASE;
  const leases = all
    .filter(isLease)
    .sort((one, other) => other[4] - one[4])
    .map(([id, from, to, , until, forMs, wasAlive]) => {
      // A lease that ends too late was made before the clock was set back: it has ended.
      return { id, from, to, wasAlive, isRunning: !ends || (until > now && until <= now + forMs) };
    });
  const records = all.filter((key): key is EventKey => !isPause(key) && !isLease(key));
  return {
    odd,
    pauses: all.filter(isPause),
    records: records.map((key) => {
      const [life, start, end] = key;
      const own = ({ id, from, to }: (typeof leases)[number]) => id === life && from < end && to > start;
      return { key, leases: leases.filter(own) };
    }),
  };
}

/** What is stored of events: their own memory is used again. */
export function copyPiece(from: number, { bytes, ends, times }: EventBytes): Piece {
  return { from, bytes: new Uint8Array(bytes), ends: ends.slice(), times: times?.slice() };
}

export function keyOf({ id }: Life, { from, bytes, ends }: Piece): EventKey {
  return [id, from, from + ends.length, bytes.length];
}

/** The keys of all that storage may have of a record, leases included. */
export function keysOf({ life, from, to }: Span & { readonly life: Pick<Life, 'id'> }): IDBKeyRange {
  return IDBKeyRange.bound([life.id, from], [life.id, to]);
}

/** The events among what storage has under the keys of a record. Any script of the origin can write something else there. */
export function piecesOf(values: readonly unknown[], { from, to }: Span): Piece[] {
  return values.filter(
    (value): value is Piece => isPiece(value) && value.from >= from && value.from + value.ends.length <= to,
  );
}

export function isPiece(value: unknown): value is Piece {
  const { bytes, ends, times } = Object(value);
  return (
    bytes instanceof Uint8Array &&
    ends instanceof Uint32Array &&
    ends.at(-1) === bytes.length &&
    (times ?? ends).length === ends.length
  );
}

/** Leaves in storage what is not released of a record, as far as it is there. Other pages may have released more of it. */
export async function rewrite(objects: IDBObjectStore, record: PageRecord): Promise<void> {
  const { life, rest } = record;
  for (const piece of piecesOf(await promisifyRequest(objects.getAll(keysOf(record))), record)) {
    objects.delete(keyOf(life, piece));
    for (const part of rest) {
      const from = Math.max(part.from, piece.from);
      const maxEvents = Math.min(part.to, piece.from + piece.ends.length) - from;
      if (maxEvents <= 0) continue;
      const limit = { maxEvents, maxBytes: piece.bytes.length };
      const left = copyPiece(from, sliceEvents(piece, from - piece.from, limit));
      objects.put(left, keyOf(life, left));
    }
  }
}
