/** What this journal owns of a slot, from when it took the slot until it lost it or gave it back. */
export interface Tenure {
  readonly slot: number;
  /** Undefined for a slot of which this journal is no owner: it only inserts. */
  readonly epoch: number | undefined;
  /** The number of a slot of the outbox. */
  readonly outbox: number | undefined;
  /** Whether this journal made the slot, and writes it. */
  readonly isOwn: boolean;
  /** Whether another forwarder may own the slot now. */
  isLost: boolean;
}
