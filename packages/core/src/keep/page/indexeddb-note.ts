import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
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
    return this.#use('readonly', (objects) => promisifyRequest(objects.get(KEY)));
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    await this.#use('readwrite', async (objects) => {
      objects.put(next(await promisifyRequest(objects.get(KEY))), KEY);
    });
  }

  close(): void {
    this.#store.close();
  }

  async #use<Result>(
    mode: IDBTransactionMode,
    work: (objects: IDBObjectStore) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#store.use(mode, work);
    } catch (cause) {
      throw storageError('cannot keep a note in IndexedDB', cause);
    }
  }
}
