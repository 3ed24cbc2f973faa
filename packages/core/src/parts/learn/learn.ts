import type { Limits } from '../../pace/limits.ts';
import type { Reporter } from '../../tell/reporter.ts';
import { LearnedRate } from './learned-rate.ts';
import { LearnedSize } from './learned-size.ts';

/** Creates the limits of a tracker. */
export type LearnPart = (reporter: Pick<Reporter, 'emit'>) => Limits;

/** For pages: `createTracker({ parts: { learn } })`. In Node a tracker has this already. */
export const learn: LearnPart = (reporter) => {
  const size = new LearnedSize((bytes) => reporter.emit('bodyLimit', { bytes }));
  const rate = new LearnedRate((perSecond) => reporter.emit('rateLimit', { perSecond }));
  return {
    size,
    rate,
    get stats() {
      const bodyLimit = Number.isFinite(size.bytes) ? size.bytes : undefined;
      return { rateLimit: rate.perSecond, bodyLimit };
    },
  };
};
