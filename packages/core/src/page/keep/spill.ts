import { tried } from '@sluice/protocol/toolbox';
import { loadText, saveText } from '../store/origin.ts';
import { type Change, isLease, isParcel, isTexts } from './parcel.ts';

/** Characters: other code of the page needs room too. */
const MOST_LENGTH = 256 * 1024;

/** A record in localStorage. */
type Spilled = readonly [
  key: [page: string, number: number, ...others: IDBValidKey[]],
  value: unknown,
  name: string,
];

/** Returns what puts a record into localStorage, for the end of a page: then WebKit loses what is written to IndexedDB. */
export function createSpill(name: string): (change: Pick<Change, 'key' | 'texts'>) => boolean {
  let room = MOST_LENGTH;
  return ({ key, texts }) => {
    // Other records, such as a dead letter, would be taken for those of another script.
    if (!Array.isArray(texts) && !(texts === 0 && isLease(key))) return false;
    const text = JSON.stringify(texts);
    if (room < text.length) return false;
    const item = `${name} ${JSON.stringify(key)}`;
    saveText(item, text);
    if (loadText(item) !== text) return false;
    room -= text.length;
    return true;
  };
}

/** What pages put there. */
export function readSpill(name: string): Spilled[] {
  const found: Spilled[] = [];
  tried(() => {
    for (const item of Object.keys(localStorage)) {
      if (!item.startsWith(`${name} `)) continue;
      const key = tried(() => JSON.parse(item.slice(name.length + 1)));
      const value = tried(() => JSON.parse(localStorage[item]));
      if (isLease(key) || (isParcel(key) && isTexts(value, key[2]))) found.push([key, value, item]);
      // Another script wrote it.
      else localStorage.removeItem(item);
    }
  });
  return found;
}

export function dropSpill(spilled: readonly Spilled[]): void {
  for (const [, , item] of spilled) tried(() => localStorage.removeItem(item));
}
