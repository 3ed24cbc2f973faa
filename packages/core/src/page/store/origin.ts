import { tried } from '@sluice/protocol/toolbox';
import type { StoredLock } from './stored-lock.ts';

/** Web Locks. */
interface Locks extends StoredLock {
  query?(): Promise<LockManagerSnapshot>;
}

/** How the tabs of this origin find each other. Older browsers lack locks, channels, or both. */
export interface Meeting {
  readonly locks?: Locks | undefined;
  readonly channel?: ((name: string) => BroadcastChannel | undefined) | undefined;
}

export function meeting(): Meeting {
  return {
    locks: globalThis.navigator?.locks,
    // It may be missing. Or nothing may be stored: then Firefox allows none.
    channel: (name) => tried(() => new BroadcastChannel(name)),
  };
}

/** If nothing may be stored, some browsers hide IndexedDB, and some throw. */
export function hasIndexedDb(): boolean {
  return Boolean(tried(() => globalThis.indexedDB));
}

/** Whether nobody sees the page: its timers come late, or not at all. */
export function isHidden(): boolean {
  return globalThis.document?.visibilityState === 'hidden';
}

/** What a page stored under a name; null if there is nothing; undefined if the page may not read it. */
export function loadText(name: string): string | null | undefined {
  return tried(() => localStorage.getItem(name));
}

/** Stores a text if the page may do that, and if there is room. Otherwise it is lost with the page. */
export function saveText(name: string, text: string): void {
  tried(() => localStorage.setItem(name, text));
}
