import type { Limit } from '../../base/event-bytes.ts';
import type { RateLimit } from '../../pace/limits.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import { type Batch, bytesOf } from './blame.ts';

/** Each accepted request raises the limit by this factor. So a wrong limit does not last. */
const GROWTH = 1.02;

/** What the service takes, as far as its answers tell. */
export interface Limits {
  /** The most of a request. */
  readonly most: Limit;
  readonly rate?: RateLimit;
  readonly stats?: Pick<TrackerStats, 'batchLimit' | 'bodyLimit' | 'rateLimit'>;
  /** Whether so many events were refused: their halves need no other try. */
  refuses?(batch: Batch): boolean;
  sent?(batch: Batch, now: number): void;
  accepted(batch: Batch, now: number): void;
  /** An event of it, or their number, was refused. */
  refused?(batch: Batch, now: number): void;
  tooLarge(batch: Batch, now: number): void;
}

/** Halves the limit with each refusal. For pages without the part `learn`, which needs fewer requests. */
export function createLimits(): Limits {
  let maxBytes = Number.POSITIVE_INFINITY;
  return {
    get most() {
      return { maxEvents: Number.POSITIVE_INFINITY, maxBytes };
    },
    accepted() {
      maxBytes = Math.ceil(maxBytes * GROWTH);
    },
    tooLarge({ parcels }) {
      maxBytes = Math.min(maxBytes, Math.ceil(bytesOf(parcels) / 2));
    },
  };
}
