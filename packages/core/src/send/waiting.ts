import type { Waiting as All } from '../wait/waiting.ts';

/** All that waits to be sent, as far as the sender knows of it. */
export type Waiting = Pick<
  All,
  | 'pending'
  | 'inFlight'
  | 'hurry'
  | 'isDue'
  | 'hasOthers'
  | 'denied'
  | 'dropExpired'
  | 'expiresInMs'
  | 'next'
  | 'takeNow'
  | 'cut'
  | 'divide'
  | 'putBack'
  | 'leaveToJournal'
  | 'end'
>;
