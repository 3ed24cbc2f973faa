import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { storageError } from '../../base/errors/storage-error.ts';
import type { Note, Word } from '../note.ts';
import { IndexedDbStore } from './indexeddb-store.ts';
import { type Meeting, Tabs } from './tabs.ts';

const NOTE = 'note';
const SECRET = 'key';

/** A note in IndexedDB. Tabs that change it at once do so one after the other. */
export class IndexedDbNote implements Note {
  readonly #name: string;
  readonly #meeting: Meeting;
  readonly #clock: Clock;
  readonly #store: IndexedDbStore;
  #tabs: Tabs<Word | undefined> | undefined;

  constructor(name: string, meeting: Meeting, clock: Clock) {
    this.#name = name;
    this.#meeting = meeting;
    this.#clock = clock;
    this.#store = new IndexedDbStore(name, clock, () => {});
  }

  read(): Promise<string | undefined> {
    return this.#use('readonly', (objects) => promisifyRequest(objects.get(NOTE)));
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    await this.#use('readwrite', async (objects) => {
      objects.put(next(await promisifyRequest(objects.get(NOTE))), NOTE);
    });
  }

  /** No script can read the key. Where pages are not encrypted, or a browser cannot store keys, there is none. */
  async digest(text: string): Promise<string | undefined> {
    const { subtle } = crypto;
    try {
      const made = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const key = await this.#use('readwrite', async (objects): Promise<CryptoKey> => {
        const stored = await promisifyRequest(objects.get(SECRET));
        if (stored === undefined) objects.put(made, SECRET);
        return stored ?? made;
      });
      const code = await subtle.sign('HMAC', key, new TextEncoder().encode(text));
      return new Uint8Array(code).join();
    } catch {
      return undefined;
    }
  }

  listen(listener: (word: Word | undefined) => void): void {
    this.#tabs = new Tabs(this.#name, this.#meeting, this.#clock, listener);
    this.#tabs.open();
  }

  tell(word?: Word): void {
    this.#tabs?.tell(word);
  }

  close(): void {
    this.#tabs?.close();
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
