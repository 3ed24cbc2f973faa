import type { Store } from './store.ts';

/** Those of PostgreSQL have a connection string in place of a directory. */
export type StoreName =
  | 'sluice'
  | 'bare'
  | 'sqlite'
  | 'level'
  | 'lmdb'
  | 'pino'
  | 'postgres'
  | 'postgres-parcels'
  | 'postgres-copy';

/**
 * Opens a store in its own directory. Loads the code of no other store.
 *
 * @param groupEvents Size of a commit in events, for stores that commit in groups.
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
    case 'postgres':
      return (await import('./postgres-store.ts')).openPostgresStore(directory);
    case 'postgres-parcels':
      return (await import('./bare-postgres-store.ts')).BarePostgresStore.open(
        'parcels',
        directory,
        groupEvents,
      );
    case 'postgres-copy':
      return (await import('./bare-postgres-store.ts')).BarePostgresStore.open(
        'copy',
        directory,
        groupEvents,
      );
  }
}
