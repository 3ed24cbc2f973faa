import type { Outcome } from '@sluice/core';

/** How a service fails while it is away, and how it refuses requests above its capacity once it is back. */
export interface Outage {
  readonly name: string;
  /** The outcome of a request. `silence`: there is never an answer. */
  readonly away: (backAt: number) => Outcome | 'silence';
  readonly tooMuch: Outcome;
  /** Every client has come back within this many seconds after the end. */
  readonly returnSeconds: number;
}

/** Clients probe once a minute, with up to half a minute of jitter. */
const PROBES_SECONDS = 90;

const REFUSED: Outcome = { kind: 'failed', cause: new Error('connection refused'), maybeSent: false };
const TOO_MANY = answer(429);

export const CONNECTIONS_REFUSED: Outage = {
  name: 'connections refused',
  away: () => REFUSED,
  tooMuch: TOO_MANY,
  returnSeconds: PROBES_SECONDS,
};

export const OUTAGES: readonly Outage[] = [
  CONNECTIONS_REFUSED,
  { name: '503', away: () => answer(503), tooMuch: answer(503), returnSeconds: PROBES_SECONDS },
  { name: '429', away: () => answer(429), tooMuch: TOO_MANY, returnSeconds: PROBES_SECONDS },
  {
    name: '503, Retry-After: 60',
    away: () => answer(503, '60'),
    tooMuch: answer(503, '2'),
    returnSeconds: 72,
  },
  { name: '429, Retry-After: 60', away: () => answer(429, '60'), tooMuch: TOO_MANY, returnSeconds: 72 },
  {
    name: '503, Retry-After: its end',
    away: (backAt) => answer(503, new Date(backAt).toUTCString()),
    tooMuch: TOO_MANY,
    // Jitter adds up to a fifth to a wait, and the longest wait is an hour.
    returnSeconds: 12 * 60,
  },
  { name: 'no answer', away: () => 'silence', tooMuch: TOO_MANY, returnSeconds: 30 + PROBES_SECONDS },
  { name: '401', away: () => answer(401), tooMuch: TOO_MANY, returnSeconds: 1.2 * 15 * 60 },
];

function answer(status: number, retryAfter?: string): Outcome {
  return { kind: 'answered', status, retryAfter, body: '' };
}
