import { get, update } from 'idb-keyval';
import type { Clock } from '../../base/clock.ts';
import { storageError } from '../../base/errors/storage-error.ts';
import type { Note } from '../note.ts';
import { IndexedDbStore } from './indexeddb-store.ts';

const KEY = 'note';

/** A note in IndexedDB. Tabs that change it at once do so one after the other. */
export class IndexedDbNote implements Note {
  readonly #store: IndexedDbStore;

  constructor(name: string, clock: Clock) {
    this.#store = new IndexedDbStore(name, clock, () => {});
  }

  read(): Promise<string | undefined> {
    return this.#run(() => get<string>(KEY, this.#store.use));
  }

  change(next: (text: string | undefined) => string): Promise<void> {
    return this.#run(() => update(KEY, next, this.#store.use));
  }

  close(): void {
    this.#store.close();
  }

  async #run<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (cause) {
      throw storageError('cannot keep a note in IndexedDB', cause);
    }
  }
}
