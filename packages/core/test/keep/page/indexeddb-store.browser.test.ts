/// <reference types="@vitest/browser-playwright" />
import { cdp, server } from 'vitest/browser';
import { describeStore } from '../../contracts/indexeddb-store-contract.ts';

/** As a browser does of itself; Chromium can be told to. */
async function forceClose(db: IDBDatabase): Promise<void> {
  if (server.browser === 'chromium') {
    await cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
  } else {
    db.close();
    db.dispatchEvent(new Event('close'));
  }
}

describeStore('IndexedDbStore', forceClose);
