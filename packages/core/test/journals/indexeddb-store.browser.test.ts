/// <reference types="@vitest/browser-playwright" />
import { cdp } from 'vitest/browser';
import { describeStore } from '../contracts/indexeddb-store-contract.ts';

describeStore('IndexedDbStore', async () => {
  await cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
});
