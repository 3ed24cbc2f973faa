/** Why an event was dropped. A closed union: types, documentation and metrics all use these words. */
export type DropReason =
  /** Memory was full, and no event in it could be moved to the journal. */
  | 'buffer-full'
  /** The journal was full. `storage.whenFull` says whether the oldest or the newest events go; of held events the newest go. */
  | 'journal-full'
  /** It was older than `storage.maxAgeMs` before the service accepted it, or than `unidentified.maxAgeMs` while it was held. */
  | 'expired'
  /** It was tracked after `close()`, or no journal held it when the tracker closed. */
  | 'closed'
  /** The journal held it, but it could not be read back intact. */
  | 'damaged'
  /** The service did not accept it, and `delivery.policy` says to drop such events. */
  | 'refused'
  /** Its user stays unknown: `reset()` was called before `identify()`, or another customer was identified. */
  | 'unidentified'
  /** Consent to keep and send it was denied. */
  | 'denied'
  /** It waited for a ticket of its customer for too long: nobody signed in as this customer again. */
  | 'identity-expired'
  /** `beforeSend` dropped it. */
  | 'filtered'
  /** Its customer is not among those of `sample`. */
  | 'sampled';

export type Fate = 'delivered' | 'deadLettered' | DropReason;
