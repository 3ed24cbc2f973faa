import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import type { Limit } from '../../base/event-bytes.ts';
import { LearnedRate } from '../../pace/learned-rate.ts';
import type { Limits } from '../../send/limits.ts';
import { bytesOf, countOf, type Trial } from '../../send/trial.ts';
import type { Reporter } from '../../tell/reporter.ts';
import { LearnedSize } from './learned-size.ts';

/** Events that were refused together. */
interface Tally {
  readonly count: number;
  accepted: number;
  /** The smallest number of several that was refused. */
  least: number;
}

/** The limit; undefined if there is none. */
const known = ({ most }: LearnedSize) => (most < Number.POSITIVE_INFINITY ? most : undefined);

/**
 * Remembers which sizes and rates the service takes. For pages: in Node a tracker has this already.
 * @example createTracker({ ...options, parts: { learn } });
 * @param batch What the settings say.
 */
export function learn(reporter: Pick<Reporter, 'emit'>, batch: Limit): Limits {
  const tell = () => reporter.emit('bodyLimit', { bytes: known(bytes), events: known(events) });
  const bytes = new LearnedSize(tell);
  const events = new LearnedSize(tell);
  const rate = new LearnedRate((perSecond) => reporter.emit('rateLimit', { perSecond }));
  const tallies = new WeakMap<object, Tally>();
  const sizeOf = ({ parcels }: Trial) => bytesOf(parcels) + BATCH_OVERHEAD_BYTES;
  return {
    get most() {
      return {
        maxBytes: Math.min(batch.maxBytes, bytes.most - BATCH_OVERHEAD_BYTES),
        maxEvents: Math.min(batch.maxEvents, events.most),
      };
    },
    get stats() {
      return { rateLimit: rate.perSecond, bodyLimit: known(bytes), batchLimit: known(events) };
    },
    rate,
    refuses: (trial) => events.refuses(countOf(trial)),
    sent(trial, now) {
      rate.take(now);
      bytes.sent(sizeOf(trial), now);
      if (!tallies.has(trial.whole)) events.sent(countOf(trial), now);
    },
    accepted(trial, now, isBack) {
      const count = countOf(trial);
      rate.accepted(now);
      if (isBack) rate.restore();
      bytes.accepted(sizeOf(trial), now);
      events.accepted(count, now);
      const tally = tallies.get(trial.whole);
      if (!tally) return;
      tally.accepted += count;
      // None of them is at fault: they were too many.
      if (tally.accepted === tally.count && count < tally.count) events.refused(tally.least, now);
    },
    refused(trial, now, isSteady) {
      const { proofs, whole } = trial;
      const count = countOf(trial);
      if (count < 2) return;
      const tally = tallies.get(whole);
      if (tally) tally.least = Math.min(tally.least, count);
      else {
        // Its first refusal decides, once for all of its pieces.
        const isTold = isSteady && !proofs;
        tallies.set(whole, { count: isTold ? count : Number.NaN, accepted: 0, least: count });
        if (isTold) events.refused(count, now);
      }
    },
    tooLarge: (trial, now) => bytes.refused(sizeOf(trial), now),
  };
}
