import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import { learn as learnLimits } from '../../parts/learn/learn.ts';
import type { PageParts } from '../parts.ts';
import { type Batch, bytesOf, countOf } from '../send/batch.ts';

/** Events that were refused together. */
interface Tally {
  readonly count: number;
  accepted: number;
  /** The smallest number of several that was refused. */
  least: number;
}

/** Remembers which sizes and rates the service takes. */
export const learn: NonNullable<PageParts['learn']> = (reporter) => {
  const limits = learnLimits(reporter);
  const { bytes, events, rate } = limits;
  const tallies = new WeakMap<object, Tally>();
  const sizeOf = ({ carried, parcels }: Batch) =>
    carried?.body.length ?? bytesOf(parcels) + BATCH_OVERHEAD_BYTES;
  return {
    get most() {
      return { maxBytes: bytes.most - BATCH_OVERHEAD_BYTES, maxEvents: events.most };
    },
    get stats() {
      return limits.stats;
    },
    waitMs: (now) => rate.waitMs(now),
    refuses: (batch) => events.refuses(countOf(batch)),
    sent(batch, now) {
      rate.take(now);
      bytes.sent(sizeOf(batch), now);
      if (!tallies.has(batch.whole)) events.sent(countOf(batch), now);
    },
    accepted(batch, now, isBack) {
      const count = countOf(batch);
      rate.accepted(now);
      if (isBack) rate.forget();
      bytes.accepted(sizeOf(batch), now);
      events.accepted(count, now);
      const tally = tallies.get(batch.whole);
      if (!tally) return;
      tally.accepted += count;
      // None of them is at fault: they were too many.
      if (tally.accepted === tally.count) events.refused(tally.least, now);
    },
    refused({ whole, ...batch }, now) {
      const count = countOf(batch);
      if (count < 2) return;
      const tally = tallies.get(whole);
      if (tally) tally.least = Math.min(tally.least, count);
      else {
        tallies.set(whole, { count, accepted: 0, least: count });
        events.refused(count, now);
      }
    },
    pushedBack: (at, now, { isAlive }, askedMs) => rate.pushedBack(at, now, isAlive, askedMs),
    tooLarge: (batch, now) => bytes.refused(sizeOf(batch), now),
  };
};
