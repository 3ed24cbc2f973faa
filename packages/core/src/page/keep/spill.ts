import { tried } from '@sluice/protocol/toolbox';
import { saveText } from '../store/local-storage.ts';
import { isLease, isParcel, isTexts } from './parcel.ts';

/** Characters: other code of the page needs room too. */
const MOST_LENGTH = 256 * 1024;

export type Put = readonly [key: IDBValidKey, value: unknown];

export interface Spill {
  add(put: Put): void;
  remove(put: Put): void;
  read(): Put[];
}

/** Records in localStorage, for the end of a page: then WebKit loses what is written to IndexedDB. */
export function createSpill(name: string): Spill {
  const prefix = `${name} `;
  const nameOf = (key: IDBValidKey) => prefix + JSON.stringify(key);
  let room = MOST_LENGTH;
  return {
    add([key, value]) {
      const text = JSON.stringify(value);
      room -= text.length;
      if (room >= 0) saveText(nameOf(key), text);
    },
    remove([key]) {
      tried(() => localStorage.removeItem(nameOf(key)));
    },
    read() {
      const found: Put[] = [];
      tried(() => {
        for (const [name, text] of Object.entries(localStorage)) {
          if (!name.startsWith(prefix)) continue;
          const put = [
            tried(() => JSON.parse(name.slice(prefix.length))),
            tried(() => JSON.parse(text)),
          ] as const;
          const [key, value] = put;
          if (isLease(key) || (isParcel(key) && isTexts(value, key[2]))) found.push(put);
          // Another script wrote it.
          else localStorage.removeItem(name);
        }
      });
      return found;
    },
  };
}
