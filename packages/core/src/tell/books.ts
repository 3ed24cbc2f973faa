import type { DropReason } from '../base/fate.ts';

/** Counts what became of all events. At every moment: `accepted + recovered = delivered + deadLettered + dropped + pending`. */
export class Books {
  accepted = 0;
  recovered = 0;
  delivered = 0;
  deadLettered = 0;
  /** Refused with an InvalidEventError, never accepted. Not part of the sum. */
  invalid = 0;
  /** Sent again because the outcome of a request is unknown. Not part of the sum. */
  maybeDuplicate = 0;
  readonly dropped: Record<DropReason, number> = {
    'buffer-full': 0,
    'journal-full': 0,
    expired: 0,
    closed: 0,
    damaged: 0,
    refused: 0,
    unidentified: 0,
    'identity-expired': 0,
    denied: 0,
    filtered: 0,
    sampled: 0,
  };
}
