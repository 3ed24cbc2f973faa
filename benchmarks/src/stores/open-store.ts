import type { Store } from './store.ts';

export type StoreName = 'sluice' | 'bare' | 'sqlite' | 'level' | 'lmdb' | 'pino';

/**
 * Opens a store in a directory of its own. No other store's code is loaded.
 *
 * @param groupEvents How many events wait for a commit of the stores that commit in groups.
 */
export async function openStore(name: StoreName, directory: string, groupEvents: number): Promise<Store> {
  switch (name) {
    case 'sluice':
      return (await import('./tracker-store.ts')).openTrackerStore(directory);
    case 'bare':
      return (await import('./bare-store.ts')).BareStore.open(directory, groupEvents);
    case 'sqlite':
      return new (await import('./sqlite-store.ts')).SqliteStore(directory, groupEvents);
    case 'level':
      return (await import('./level-store.ts')).LevelStore.open(directory, groupEvents);
    case 'lmdb':
      return new (await import('./lmdb-store.ts')).LmdbStore(directory, groupEvents);
    case 'pino':
      return new (await import('./pino-store.ts')).PinoStore(directory);
  }
}
