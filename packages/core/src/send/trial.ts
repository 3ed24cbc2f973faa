import type { Why } from '../pace/breaker.ts';

/** What is sent in one request, and what happened to exactly these events so far. It is sent until they end, or are halved. */
export interface Trial {
  readonly parcels: readonly { readonly count: number; readonly bytes: number }[];
  /** Shared by all pieces of one refused request. */
  readonly whole: { isAccepted: boolean };
  failures: number;
  /** Of its failures, those with an answer that refuses it. */
  refusals: number;
  /** Failures with an acceptance of something else between them. For a piece of a failed request, that failure is the first. */
  proofs: number;
  /** How many requests had failed when it last failed, and when it was last sent. */
  seen: number;
  since?: number;
  /** Whether it is one event that is probably at fault, and waits alone, so that it holds up no others. */
  isAlone?: boolean;
  /** Whether it is one event that is probably at fault. */
  isSuspect?: boolean;
  /** Of its last failure. */
  why?: Why | undefined;
}

export function countOf({ parcels }: Pick<Trial, 'parcels'>): number {
  return parcels.reduce((total, { count }) => total + count, 0);
}

export function bytesOf(parcels: readonly { readonly bytes: number }[]): number {
  return parcels.reduce((total, { bytes }) => total + bytes, 0);
}
