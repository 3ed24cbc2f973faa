import type { Clock } from '@sluice/protocol/toolbox';
import type { Fate } from '../../base/fate.ts';
import type { SharedPause } from '../../pace/breaker.ts';
import type { Books } from '../../tell/books.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { IndexedDbStore } from '../store/indexeddb-store.ts';
import { type LetterKey, type Parcel, readKeys, SENT } from './parcel.ts';
import type { Parcels } from './parcels.ts';
import { importSpill } from './reading.ts';
import type { Spill } from './spill.ts';

/**
 * What may have arrived is sent again by a page that has been there for so long: it will probably see the answer. Pages that are left
 * at once would send it again and again.
 */
const STAY_MS = 5_000;

export interface ListingOptions {
  readonly name: string;
  readonly parcels: Parcels;
  readonly clock: Clock;
  /** Whether a request of a page that was left counts as accepted. */
  readonly isOnce: boolean;
  readonly books: Books;
  readonly reporter: Reporter;
  readonly end: (parcel: Parcel, fate: Fate) => void;
}

export interface Found {
  /** Events of other pages. */
  readonly found: number;
  /** When the first lease of an unknown parcel ends. */
  readonly leasedUntil: number;
  readonly pause: SharedPause | undefined;
  /** All dead letters. */
  readonly letters: readonly LetterKey[];
}

/**
 * Makes the function that compares what is known with what is stored.
 *
 * @param store Undefined: nothing is stored.
 * @param gone Ended, and perhaps not deleted yet.
 * @param drop Deletes what has these keys, with what is written next.
 */
export function createListing(
  options: ListingOptions,
  store: IndexedDbStore | undefined,
  spill: Spill,
  gone: ReadonlySet<string>,
  drop: (keys: readonly IDBValidKey[]) => void,
): () => Promise<Found> {
  const { name, parcels, clock, isOnce, books, reporter, end } = options;
  const createdAt = clock.now();

  return async () => {
    // What is being stored is not missing, though it may not be listed.
    const known = [...parcels.all.values()].filter(({ isStored }) => isStored);
    if (store) await importSpill(spill, store);
    const keys = (await store?.use('readonly', (objects) => objects.getAllKeys()))?.result ?? [];
    const now = clock.now();
    const stayedAt = createdAt + STAY_MS;
    const isNew = Math.abs(now - createdAt) < STAY_MS;
    const { listed, leased, letters, odd, over, pause } = readKeys(keys, now);
    if (odd.length > 0) reporter.emit('damaged', { place: name, bytes: 0 });
    drop([...odd, ...over]);
    let [found, leasedUntil] = [0, Number.POSITIVE_INFINITY];
    const missing = known.filter((parcel) => parcel.isStored && !listed.has(parcel.id));
    // Others may have taken the place of what is missing.
    const epoch = Math.min(parcels.epoch, ...missing.map(({ epoch }) => epoch));
    for (const [id, key] of listed) {
      const [, , end = 0, forMs = 0, wasAlive] = leased.get(id) ?? [];
      const isSent = wasAlive === SENT;
      // One that ends too late was made before the clock was set back: it has ended.
      const isRunning = end > now && end <= now + forMs;
      const until = isRunning ? end : isNew && end > 0 && !isSent ? stayedAt : 0;
      let parcel = parcels.all.get(id);
      if (until > 0 && !parcel) leasedUntil = Math.min(leasedUntil, until);
      if (!parcel && (until > 0 || key[0] === parcels.own || gone.has(id))) continue;
      if (!parcel) found += key[2];
      parcel ??= parcels.found(key, epoch);
      parcel.leasedUntil = until;
      if (end === 0 || until > 0 || parcel.isFrozen || parcel.state !== 'waiting') continue;
      unknown(parcel, isSent || (isOnce && wasAlive === 1));
    }
    // Who ended it told the others.
    for (const parcel of missing) parcels.end(parcel, 'delivered');
    return { found, leasedUntil, letters, pause };
  };

  /** Nobody knows the answer to its request. */
  function unknown(parcel: Parcel, isTaken: boolean): void {
    parcel.isFrozen = true;
    if (isTaken) {
      end(parcel, 'delivered');
      return;
    }
    // Until it is sent again its lease tells other pages the same.
    books.maybeDuplicate += parcel.count;
  }
}
