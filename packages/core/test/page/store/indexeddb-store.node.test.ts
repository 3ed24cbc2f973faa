import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { describeStore } from './indexeddb-store-contract.ts';

describeStore('IndexedDbStore on fake-indexeddb', async (db) =>
  forceCloseDatabase(db as unknown as Parameters<typeof forceCloseDatabase>[0]),
);
