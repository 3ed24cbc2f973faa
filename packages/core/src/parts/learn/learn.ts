import type { Limits } from '../../pace/limits.ts';
import type { Reporter } from '../../tell/reporter.ts';
import { LearnedRate } from './learned-rate.ts';
import { LearnedSize } from './learned-size.ts';

/** Creates the limits of a tracker. */
export type LearnPart = (reporter: Pick<Reporter, 'emit'>) => Limits;

/** The limit; undefined if there is none. */
const known = ({ most }: LearnedSize) => (most < Number.POSITIVE_INFINITY ? most : undefined);

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, parts: { learn } });
 */
export const learn: LearnPart = (reporter) => {
  const tell = () => reporter.emit('bodyLimit', { bytes: known(bytes), events: known(events) });
  const bytes = new LearnedSize(tell);
  const events = new LearnedSize(tell);
  const rate = new LearnedRate((perSecond) => reporter.emit('rateLimit', { perSecond }));
  return {
    bytes,
    events,
    rate,
    get stats() {
      return { rateLimit: rate.perSecond, bodyLimit: known(bytes), batchLimit: known(events) };
    },
  };
};
