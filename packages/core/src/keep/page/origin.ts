import { tried } from '@sluice/protocol/toolbox';
import { hashOf } from '../../base/hash.ts';
import { type AccountNames, accountOf } from '../account.ts';
import type { Meeting } from './tabs.ts';

/**
 * The name of a database. It is different for each account of an origin, and does not reveal the API key.
 *
 * @param part Of the place: events that are not to be delivered now have a database of their own.
 */
export function databaseName(account: AccountNames, part: string = ''): string {
  return `sluice${part && ` ${part}`} ${hashOf(accountOf(account))}`;
}

/** How the tabs of this origin find each other. Older browsers lack locks, channels, or both. */
export function meeting(): Meeting {
  return {
    locks: globalThis.navigator?.locks,
    // It may be missing. Or nothing may be stored: then Firefox allows none.
    createChannel: (name) => tried(() => new BroadcastChannel(name)),
  };
}

/** If nothing may be stored, some browsers hide IndexedDB, and some throw. */
export function hasIndexedDb(): boolean {
  return Boolean(tried(() => globalThis.indexedDB));
}
