import { identified } from '../../accept/unidentified.ts';
import type { SharedPause } from '../../pace/breaker.ts';
import { STORE_KEYS } from '../store/indexeddb-store.ts';

/** Names a record: who wrote it, its number there, what it holds, when its first event was tracked, and the session that holds it. */
export type ParcelKey = [
  page: string,
  number: number,
  count: number,
  bytes: number,
  at: number,
  session: string,
];

/** In the name of the database. */
export const PARCELS = 'parcels';

/** The session of events that are held before it was read. */
export const UNKNOWN = '?';
/** Their session once they are stored, because the page was hidden or left: whatever session the note names. */
export const UNREAD = '*';
/** The session before there was any. */
export const NO_SESSION = '-';

/** A record that is to be written, such as a parcel; or, without texts, records that are to be deleted. */
export interface Change {
  readonly key: IDBValidKey | IDBKeyRange;
  readonly texts?: unknown;
  /** Of a parcel. */
  readonly session?: string;
  /** It takes the place of another record; without texts, others take its place. */
  readonly isPart?: boolean;
  /** What it is a part of is stored. */
  readonly isCopy?: boolean | undefined;
  /** How far it got. `failed`: it may be stored, though the browser said that it is not. Undefined: it was not tried yet. */
  kept?: 'writing' | 'failed' | 'stored' | undefined;
}

/** Events that are stored, sent and released together. In IndexedDB it is one record: its key, and its texts. */
export interface Parcel extends Change {
  readonly id: string;
  readonly key: ParcelKey;
  readonly page: string;
  readonly number: number;
  readonly at: number;
  count: number;
  /** Of its events, and the commas between them, in UTF-8. */
  bytes: number;
  /** Not empty: held until this session has a customer. */
  session: string;
  /** The JSON texts of its events. Undefined: they are only stored. */
  texts: string[] | undefined;
  state: 'waiting' | 'out' | 'ended';
  readonly isStored: boolean;
  isHigh?: boolean | undefined;
  /** Until then it is in a request of a page that may see the answer. */
  leasedUntil: number;
  /** It was in a request whose answer nobody knows: it is sent again as it is. */
  isFrozen?: boolean;
  /** What was tracked between two calls of `flush()`, `identify()` or `reset()`. */
  readonly epoch: number;
  /** Whose events they are, where that counts. Empty if it is not known, or does not count. */
  customer: string;
  /** It is probably at fault, and waits alone: it holds up no others. */
  isAlone?: boolean;
}

/** @param texts Undefined: it is stored. */
export function parcelOf(
  [page, number, count, bytes, at, session]: ParcelKey,
  texts: string[] | undefined,
  more: Pick<Parcel, 'epoch'> & Partial<Parcel>,
): Parcel {
  return {
    ...{ page, number, count, bytes, at, session, texts },
    kept: texts ? undefined : 'stored',
    state: 'waiting',
    leasedUntil: 0,
    customer: '',
    ...more,
    get id() {
      return idOf(this.key);
    },
    get key(): ParcelKey {
      return [this.page, this.number, this.count, this.bytes, this.at, this.session];
    },
    get isStored() {
      return this.kept === 'stored';
    },
  };
}

export function idOf([page, number]: readonly [page: string, number: number, ...others: unknown[]]): string {
  return `${page} ${number}`;
}

/** The first part of the keys of dead letters. */
export const LETTER = 'letter';
/** Keys: the current session and a digest of its customer, and the secret of the digest. */
export const NOTE = 'note';
export const SECRET = 'key';
const OWN: readonly unknown[] = [...STORE_KEYS, NOTE, SECRET];
export type LetterKey = [kind: typeof LETTER, at: number, id: string, bytes: number];

/**
 * Says that a parcel is in a request of a page, until a time. `answered`: 1 if a page had an answer in the minute before, and `SENT` if
 * a service worker had the answer to it.
 */
type LeaseKey = [page: string, number: number, until: number, forMs: number, answered: number];

export const SENT = 2;

/**
 * No size of ours, in bytes, is that large, and no wait, in milliseconds, is that long. But all times are: so the third part of a
 * key is the time at which a lease ends, or a number of events.
 */
export const TOO_MUCH = 1e10;

/** The keys of a parcel's record and its leases. @param from Of its leases only. */
export function rangeOf({ page, number }: Pick<Parcel, 'page' | 'number'>, from = 0): IDBKeyRange {
  return IDBKeyRange.bound([page, number, from], [page, number + 1]);
}

/** The keys that begin with a number. */
export function rangeOfPauses(): IDBKeyRange {
  return IDBKeyRange.bound([Number.NEGATIVE_INFINITY], ['']);
}

/** Whether a key has parts of these types: texts and finite numbers. */
function has<Key>(key: unknown, shape: 'snnnns' | 'snnnn' | 'snsn' | 'nnn'): key is Key {
  const typeOf = (part: unknown) =>
    Math.abs(Number(part)) === Number.POSITIVE_INFINITY ? '' : (typeof part)[0];
  return Array.isArray(key) && key.map(typeOf).join('') === shape;
}

export function isParcel(key: unknown): key is ParcelKey {
  // Its number, its count and its bytes.
  return (
    has<ParcelKey>(key, 'snnnns') && key.slice(1, 4).every(isCount) && key[2] <= key[3] && key[3] < TOO_MUCH
  );
}

export function isLease(key: unknown): key is LeaseKey {
  return has<LeaseKey>(key, 'snnnn') && isCount(key[1]) && key[2] >= TOO_MUCH && key[3] < TOO_MUCH;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** A parcel that is stored. */
interface Stored {
  readonly key: ParcelKey;
  /** When its last lease ends; 0: it has ended; undefined: it has none. */
  until?: number;
  answered?: number;
}

/** What the keys of a database say. */
interface Listing {
  readonly stored: ReadonlyMap<string, Stored>;
  readonly letters: readonly LetterKey[];
  /** Leases of what is gone. */
  readonly over: readonly IDBValidKey[];
  /** Keys that nobody of ours wrote. */
  readonly odd: readonly IDBValidKey[];
  /** It may have ended. Once a page has an answer there is none. */
  readonly pause: SharedPause | undefined;
}

/** Sorts the keys of all records, which come in their order: the leases of a parcel follow it. */
export function readKeys(keys: readonly IDBValidKey[], now: number): Listing {
  const stored = new Map<string, Stored>();
  const letters: LetterKey[] = [];
  const over: IDBValidKey[] = [];
  const odd: IDBValidKey[] = [];
  let pause: SharedPause | undefined;
  for (const key of keys) {
    if (isParcel(key)) stored.set(idOf(key), { key });
    else if (isLease(key)) {
      const [, , end, forMs, answered] = key;
      const parcel = stored.get(idOf(key));
      // One that ends too late was made before the clock was set back: it has ended.
      const until = end > now && end <= now + forMs ? end : 0;
      if (parcel) Object.assign(parcel, { until: Math.max(until, parcel.until ?? 0), answered });
      else if (Math.abs(now - end) > forMs) over.push(key);
    } else if (has<SharedPause>(key, 'nnn') && key[2] < TOO_MUCH) {
      const [until, failures, forMs] = key;
      // The clock may have been set back since.
      pause = [Math.min(until, now + forMs), failures, forMs];
    } else if (has<LetterKey>(key, 'snsn') && key[0] === LETTER) letters.push(key);
    else if (!OWN.includes(key)) odd.push(key);
  }
  return { stored, letters, over, odd, pause };
}

export function isTexts(value: unknown, count: number): value is string[] {
  return Array.isArray(value) && value.length === count && value.every((text) => typeof text === 'string');
}

/** They may be sent again. */
export function free(all: readonly Parcel[]): void {
  for (const parcel of all) parcel.state = 'waiting';
}

/** The texts of events that name no customer, with this one. Others stay as they are. */
export function stamped(texts: readonly string[], customer: string): string[] {
  return texts.map((text) => identified(text, customer));
}

export const encoder: TextEncoder = new TextEncoder();

export function byteLength(text: string): number {
  return /[^\0-\x7f]/.test(text) ? encoder.encode(text).length : text.length;
}
