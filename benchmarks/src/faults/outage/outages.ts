import type { Outcome } from '@sluice/core';

/** A way in which a service is away, and in which it says that it is asked too much once it is back. */
export interface Outage {
  readonly name: string;
  /** What a request meets; `silence`: no answer, ever. */
  readonly away: (backAt: number) => Outcome | 'silence';
  readonly tooMuch: Outcome;
  /** After its end every client has come back within so many seconds. */
  readonly returnSeconds: number;
}

/** A probe once a minute, and up to half as much again. */
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
    // A fifth of an hour, which is as long as it is left alone.
    returnSeconds: 12 * 60,
  },
  { name: 'no answer', away: () => 'silence', tooMuch: TOO_MANY, returnSeconds: 30 + PROBES_SECONDS },
  { name: '401', away: () => answer(401), tooMuch: TOO_MANY, returnSeconds: 1.2 * 15 * 60 },
];

function answer(status: number, retryAfter?: string): Outcome {
  return { kind: 'answered', status, retryAfter, body: '' };
}
