import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { uuid } from '../../base/uuid.ts';
import type { Note, Word } from '../note.ts';
import { IndexedDbStore } from './indexeddb-store.ts';
import { createTabs, type Meeting } from './tabs.ts';

const NOTE = 'note';
const SECRET = 'key';

/** A note in IndexedDB. Tabs that change it at once do so one after the other. */
export class IndexedDbNote extends IndexedDbStore implements Note {
  readonly join: NonNullable<Note['join']>;

  constructor(name: string, meeting: Meeting, clock: Clock) {
    super(name, clock, () => {});
    this.join = (listener) => {
      const tabs = createTabs<Word | undefined>(name, meeting, clock, this, { onMessage: listener });
      tabs.open();
      return tabs;
    };
  }

  read(): Promise<string | undefined> {
    return this.use('readonly', (objects) => promisifyRequest(objects.get(NOTE)));
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    await this.use('readwrite', async (objects) => {
      objects.put(next(await promisifyRequest(objects.get(NOTE))), NOTE);
    });
  }

  /** No script can read the key. Pages without TLS have none, nor have browsers that cannot store it. */
  async digest(text: string): Promise<string> {
    const { subtle } = crypto;
    try {
      const made = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const key = await this.use('readwrite', async (objects): Promise<CryptoKey> => {
        const stored = await promisifyRequest(objects.get(SECRET));
        if (stored === undefined) objects.put(made, SECRET);
        return stored ?? made;
      });
      const code = await subtle.sign('HMAC', key, new TextEncoder().encode(text));
      return new Uint8Array(code).join();
    } catch {
      return uuid();
    }
  }
}
