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

/** What became of an event that is not there any more. */
export type Fate = 'delivered' | 'deadLettered' | DropReason;
