import type { Limit } from '../base/event-bytes.ts';
import type { LearnedRate } from '../pace/learned-rate.ts';
import type { TrackerStats } from '../tell/stats.ts';
import { bytesOf, type Trial } from './trial.ts';

/** Each accepted request raises the limit by this factor. So a wrong limit does not last. */
const GROWTH = 1.02;

/** The limits of the service, as far as its answers show them. */
export interface Limits {
  /** The most of a request: what the settings say, or less. */
  readonly most: Limit;
  readonly stats?: Pick<TrackerStats, 'batchLimit' | 'bodyLimit' | 'rateLimit'>;
  readonly rate?: LearnedRate;
  /** Whether the service refuses so many events: it needs no other try before it is halved. */
  refuses?(trial: Trial): boolean;
  sent?(trial: Trial, now: number): void;
  /** @param isBack After an outage. */
  accepted(trial: Trial, now: number, isBack: boolean): void;
  /** An event of it, or their number, was refused. @param isSteady Whether few requests fail by chance. */
  refused?(trial: Trial, now: number, isSteady: boolean): void;
  tooLarge(trial: Trial, now: number): void;
}

/** Halves the limit with each refusal. For pages without the part `learn`, which needs fewer requests. */
export function createLimits(batch: Limit): Limits {
  let { maxBytes } = batch;
  return {
    get most() {
      return { ...batch, maxBytes };
    },
    accepted() {
      maxBytes = Math.min(batch.maxBytes, Math.ceil(maxBytes * GROWTH));
    },
    tooLarge({ parcels }) {
      maxBytes = Math.min(maxBytes, Math.ceil(bytesOf(parcels) / 2));
    },
  };
}
