import type { Waiting as All } from '../wait/waiting.ts';

/** All that waits to be sent, as far as the sender knows of it. */
export type Waiting = Pick<
  All,
  | 'pending'
  | 'inFlight'
  | 'hurry'
  | 'hasOthers'
  | 'denied'
  | 'dropExpired'
  | 'expiresInMs'
  | 'next'
  | 'cut'
  | 'divide'
  | 'putBack'
  | 'leaveToJournal'
  | 'end'
>;
