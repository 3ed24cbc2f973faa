import type { Fault } from '../fault.ts';
import { killing } from './killing.ts';
import { leaving } from './leaving.ts';
import { outages } from './outages.ts';
import { prerender } from './prerender.ts';
import { serviceWorker } from './service-worker.ts';
import { storage } from './storage.ts';
import { visits } from './visits.ts';

/** Faults that pages in a real browser must survive. */
export const browserFaults: readonly Fault[] = [
  ...leaving,
  visits,
  prerender,
  ...killing,
  ...outages,
  ...storage,
  serviceWorker,
];
