import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import type { Reporter } from '../../tell/reporter.ts';
import type { IndexedDbStore } from '../store/indexeddb-store.ts';
import { isTexts, type Parcel, rangeOf, stamped } from './parcel.ts';
import type { Parcels } from './parcels.ts';

/** What could not be read is read again after this time. */
const RELOAD_MS = 1_000;

interface LoadOptions {
  readonly name: string;
  readonly store: IndexedDbStore | undefined;
  readonly parcels: Parcels;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** Returns what reads the texts of parcels that are only stored. What is not there any more has ended; what cannot be read waits. */
export function createLoad(options: LoadOptions): (wanted: readonly Parcel[]) => Promise<void> {
  const { name, store, parcels, clock, reporter } = options;

  function found(parcel: Parcel, value: unknown): void {
    if (parcel.state === 'ended') return;
    if (isTexts(value, parcel.count))
      parcels.loaded(parcel, parcel.customer ? stamped(value, parcel.customer) : value);
    // Its lease, whose value is 0, may be left: another page wrote that last.
    else if (!value) parcels.gone(parcel, 'delivered');
    else {
      reporter.emit('damaged', { place: name, bytes: parcel.bytes });
      parcels.end(parcel, 'damaged');
    }
  }

  return async (wanted) => {
    if (!store) return;
    const missing = wanted.filter(({ texts }) => !texts);
    let failure: unknown;
    const read = async (some: readonly Parcel[]) => {
      const values = await store.use('readonly', (objects) =>
        Promise.all(some.map((parcel) => promisifyRequest<unknown>(objects.get(rangeOf(parcel))))),
      );
      for (const [index, parcel] of some.entries()) found(parcel, values[index]);
    };
    const readAlone = (parcel: Parcel) =>
      read([parcel]).catch((error) => {
        parcel.leasedUntil = clock.now() + RELOAD_MS;
        failure = error;
      });
    // One that cannot be read must not hold up the others.
    await read(missing).catch(() => Promise.all(missing.map(readAlone)));
    if (failure) reporter.storageFailed(failure);
  };
}
