import type { DropReason } from '../base/fate.ts';
import type { PauseReason } from './stats.ts';

/** What to do about a pause or a drop. Empty if the application wants it. */
export const HINTS: Readonly<Record<PauseReason | DropReason, string>> = {
  unauthorized: 'check apiKey',
  'wrong-address': 'check baseUrl',
  refused: 'check events',
  intercepted: 'check network',
  policy: 'check policy',
  blocked: 'check blockers',
  unavailable: 'check network',
  asked: 'wait',
  'buffer-full': 'raise buffer',
  'journal-full': 'raise storage',
  expired: 'raise maxAgeMs',
  closed: 'track before close()',
  damaged: 'check journal',
  unidentified: '',
  denied: '',
  filtered: '',
  sampled: '',
};
