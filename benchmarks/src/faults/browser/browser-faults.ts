import type { Fault } from '../fault.ts';
import { killing } from './killing.ts';
import { leaving } from './leaving.ts';
import { outages } from './outages.ts';
import { serviceWorker } from './service-worker.ts';
import { storage } from './storage.ts';

/** What pages in a real browser have to get over. */
export const browserFaults: readonly Fault[] = [
  ...leaving,
  ...killing,
  ...outages,
  ...storage,
  serviceWorker,
];
