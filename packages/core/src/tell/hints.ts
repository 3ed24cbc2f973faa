import type { DropReason } from '../base/fate.ts';
import type { PauseReason } from './stats.ts';

/** Drops that the application asked for. */
type Wanted = 'unidentified' | 'identity-expired' | 'denied' | 'filtered' | 'sampled';

type Hints = Record<PauseReason | Exclude<DropReason, Wanted>, string> & { [Reason in Wanted]?: undefined };

/** What to do about a pause or a drop. */
export const HINTS: Readonly<Hints> = {
  unauthorized: 'check apiKey',
  'wrong-address': 'check baseUrl',
  refused: 'check events',
  intercepted: 'check network',
  policy: 'check policy',
  blocked: 'check blockers',
  unavailable: 'check service',
  asked: 'wait',
  'buffer-full': 'raise buffer',
  'journal-full': 'raise storage',
  expired: 'raise maxAgeMs',
  closed: 'close() later',
  damaged: 'check journal',
};
