import { tried } from '@sluice/protocol/toolbox';
import type { Piece } from '../record-list.ts';
import { saveText } from './local-storage.ts';
import { type EventKey, isOurs, LEASE, type LeaseKey } from './page-record.ts';

/** A page spills at most this many characters. Browsers give an origin about five million. 200 events of a click take 140,000. */
const MOST_LENGTH = 256 * 1024;

/** What a database stores under a key. */
export interface Put {
  readonly key: EventKey | LeaseKey;
  readonly value: Piece | typeof LEASE;
}

/**
 * The writes of a page that may be lost with it, in localStorage: a browser finishes these. The next page moves them to the
 * database. Without localStorage, or without room in it, nothing is spilled.
 */
interface Spill {
  add(put: Put): void;
  remove(put: Put): void;
  /** All that pages spilled. */
  read(): Put[];
}

export function createSpill(name: string): Spill {
  const prefix = `${name} `;
  let room = MOST_LENGTH;

  return {
    add({ key, value }) {
      const text =
        value === LEASE ? '' : [value.ends, value.times, new TextDecoder().decode(value.bytes)].join('\n');
      room -= text.length;
      if (room >= 0) saveText(prefix + JSON.stringify(key), text);
    },
    remove({ key }) {
      tried(() => localStorage.removeItem(prefix + JSON.stringify(key)));
    },
    read() {
      const found: Put[] = [];
      // Some browsers throw where a page may store nothing.
      tried(() => {
        for (const [name, text] of Object.entries(localStorage)) {
          if (!name.startsWith(prefix)) continue;
          const put = parse(name.slice(prefix.length), text);
          if (put) found.push(put);
          else localStorage.removeItem(name);
        }
      });
      return found;
    },
  };
}

/** Undefined if another script wrote it. */
function parse(name: string, text: string): Put | undefined {
  const key: EventKey | LeaseKey | undefined = tried(() => JSON.parse(name));
  if (!isOurs(key)) return undefined;
  const [ends = '', times, bytes] = text.split('\n');
  if (ends === '') return { key, value: LEASE };
  const value: Piece = {
    from: key[1],
    bytes: new TextEncoder().encode(bytes),
    ends: Uint32Array.from(ends.split(','), Number),
    ...(times && { times: Float64Array.from(times.split(','), Number) }),
  };
  return { key, value };
}
