import type { Parcels } from '../keep/parcels.ts';
import { type Batch, bytesOf } from './blame.ts';

/** At most so much of what waits for its retry is in memory. */
const MOST_LOADED = 8 * 1024 * 1024;

/** What is under way. */
export interface Traffic {
  /** Batches that wait for their retry. */
  retries: Batch[];
  running: number;
  /** How often the page was left. */
  departures: number;
  /** How often consent was denied. */
  denials: number;
  /** How often a retry was asked for. Answers to requests before it may be about another key. */
  resumes: number;
  isStopped: boolean;
}

/** Where too much is in memory, texts that are stored are read again when they are sent. */
export function addRetry({ retries }: Traffic, batch: Batch, parcels: Parcels, mostBytes: number): void {
  retries.push(batch);
  const loaded = retries.flatMap(({ parcels }) => parcels).filter(({ texts }) => texts);
  if (bytesOf(loaded) <= Math.min(MOST_LOADED, mostBytes)) return;
  batch.carried = undefined;
  for (const parcel of batch.parcels) if (parcel.isStored) parcels.unload(parcel);
}
