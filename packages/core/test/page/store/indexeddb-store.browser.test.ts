/// <reference types="@vitest/browser-playwright" />
import { cdp, server } from 'vitest/browser';
import { describeStore } from './indexeddb-store-contract.ts';

/** Closes the connection as a browser does by itself. Only Chromium can be told to do so. */
async function forceClose(db: IDBDatabase): Promise<void> {
  if (server.browser === 'chromium') {
    await cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
  } else {
    db.close();
    db.dispatchEvent(new Event('close'));
  }
}

describeStore('IndexedDbStore', forceClose);
