import { promisifyRequest } from 'idb-keyval';
import type { Fate } from '../../base/fate.ts';
import type { IndexedDbStore } from '../store/indexeddb-store.ts';
import { isTexts, type Parcel, rangeOf } from './parcel.ts';
import type { Parcels } from './parcels.ts';
import type { Spill } from './spill.ts';

/** Reads the texts that are only stored. What is not there any more has ended. */
export async function load(
  store: IndexedDbStore,
  missing: readonly Parcel[],
  parcels: Parcels,
  end: (parcel: Parcel, fate: Fate) => void,
  damaged: (bytes: number) => void,
): Promise<void> {
  const values = await store.use('readonly', (objects) =>
    Promise.all(missing.map((parcel) => promisifyRequest<unknown>(objects.get(rangeOf(parcel))))),
  );
  for (const [index, parcel] of missing.entries()) {
    const value = values[index];
    if (isTexts(value, parcel.count)) parcels.loaded(parcel, value);
    // Its lease, whose value is 0, may be left: another page wrote that last.
    else if (!value) parcels.end(parcel, 'delivered');
    else {
      damaged(parcel.bytes);
      end(parcel, 'damaged');
    }
  }
}

/** Brings what pages left in localStorage into the database. */
export async function importSpill(spill: Spill, store: IndexedDbStore): Promise<void> {
  let spilled = spill.read();
  if (spilled.length === 0) return;
  await store.use('readwrite', (objects) => {
    // While the database was opened, another page may have moved them, and sent them.
    spilled = spill.read();
    for (const [key, value] of spilled) objects.put(value, key);
  });
  for (const put of spilled) spill.remove(put);
}
