import type { Parcels } from '../keep/parcels.ts';
import type { Batch } from './blame.ts';

/** While so much is in memory, of what waits for its retry only texts are there that are not stored. */
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

/** Adds what waits for its retry. Where too much is in memory, texts that are stored are read again when they are sent. */
export function addRetry({ retries }: Traffic, batch: Batch, parcels: Parcels, mostBytes: number): void {
  retries.push(batch);
  if (parcels.bytes <= Math.min(MOST_LOADED, mostBytes)) return;
  batch.carried = undefined;
  for (const parcel of batch.parcels) if (parcel.isStored) parcels.unload(parcel);
}
