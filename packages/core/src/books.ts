/** Why an event was dropped. A closed union: types, documentation and metrics all use these words. */
export type DropReason =
  /** Memory was full, and nothing in it could be left to the journal. */
  | 'buffer-full'
  /** The journal had reached its bounds: the oldest, or the newest, as `storage.whenFull` says. */
  | 'journal-full'
  /** It was older than `storage.maxAgeMs` before the service took it. */
  | 'expired'
  /** It was tracked after `close()`, or no journal held it when the tracker closed. */
  | 'closed'
  /** The journal held it, but it could not be read back intact. */
  | 'damaged'
  /** The service did not take it, and `delivery.policy` says that such events are dropped. */
  | 'refused'
  /** Nobody will know whose it was: `reset()` came before `identify()`, or another customer did. */
  | 'unidentified'
  /** Consent to keep and send it was denied. */
  | 'denied';

/** What became of all events: `accepted + recovered = delivered + deadLettered + dropped + pending`, at every moment. */
export class Books {
  accepted = 0;
  recovered = 0;
  delivered = 0;
  deadLettered = 0;
  /** Never accepted: an InvalidEventError was raised. Not part of the sum. */
  invalid = 0;
  /** Sent again after a request whose outcome is unknown. Not part of the sum. */
  maybeDuplicate = 0;
  readonly dropped: Record<DropReason, number> = {
    'buffer-full': 0,
    'journal-full': 0,
    expired: 0,
    closed: 0,
    damaged: 0,
    refused: 0,
    unidentified: 0,
    denied: 0,
  };

  get droppedTotal(): number {
    return Object.values(this.dropped).reduce((total, count) => total + count);
  }
}
