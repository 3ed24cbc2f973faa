import type { SampleEvent } from '../workload/sample-event.ts';

/** Something that keeps events in files. */
export interface Store {
  /** How many groups of events it has made safe so far, each with one sync, transaction or batch. */
  readonly commits: number;
  add(event: SampleEvent): void;
  /** A turn of the event loop ends: stores that commit in groups do so now, if enough events wait. */
  endTurn(): void;
  /** Resolves once all is as safe as this store makes it. */
  settle(): Promise<unknown>;
  /** How many events it holds, found by looking. */
  count(): number | Promise<number>;
  close(): unknown;
}

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
