import { systemClock } from '@sluice/protocol/toolbox';
import type { AccountNames } from '../account.ts';
import type { ConsentStore } from '../consent-store.ts';
import { DENIED, IndexedDbStore } from './indexeddb-store.ts';
import { loadText, saveText } from './local-storage.ts';
import { databaseName } from './origin.ts';

/**
 * A denial in localStorage: a page can read it as it starts, and hears of it from others. Where localStorage fails, a denial
 * ends with its page. A mark in the database of the events keeps service workers from sending.
 */
export class StoredConsent implements ConsentStore {
  readonly #database: string;
  readonly #name: string;
  #stored: string | undefined;
  readonly #ended = new AbortController();

  constructor(account: AccountNames, onChange: (consent: 'granted' | 'denied') => void) {
    this.#database = databaseName(account);
    this.#name = databaseName(account, 'consent');
    this.#stored = this.#read();
    const look = () => {
      const stored = this.#read();
      if (stored === this.#stored) return;
      this.#stored = stored;
      if (stored === 'denied' || stored === 'granted') onChange(stored);
    };
    const { signal } = this.#ended;
    // A page hears of no change while it is in the back/forward cache, nor of one that another tracker in it makes.
    for (const type of ['storage', 'pageshow', this.#name])
      globalThis.addEventListener?.(type, look, { signal });
  }

  get isDenied(): boolean {
    return this.#stored === 'denied';
  }

  set(consent: 'granted' | 'denied'): void {
    if (consent === this.#stored || (consent === 'granted' && !this.isDenied)) return;
    this.#stored = consent;
    saveText(this.#name, consent);
    globalThis.dispatchEvent?.(new Event(this.#name));
    const store = new IndexedDbStore(this.#database, systemClock, () => {});
    const mark = (objects: IDBObjectStore) => {
      if (consent === 'denied') objects.put(0, DENIED);
      else objects.delete(DENIED);
    };
    store.use('readwrite', mark).then(
      () => store.close(),
      () => store.close(),
    );
  }

  close(): void {
    this.#ended.abort();
  }

  #read(): string | undefined {
    const stored = loadText(this.#name);
    return stored === undefined ? this.#stored : (stored ?? undefined);
  }
}
