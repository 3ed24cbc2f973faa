export interface WaitingSettings {
  readonly journalDirectory: string;
  /** Events that already wait when track() is timed. */
  readonly waiting: number;
  /** Events that are timed. */
  readonly timed: number;
}

export type WaitingTold = {
  readonly type: 'measured';
  readonly nsPerEvent: number;
  /** Memory above that at the start, with all of `waiting` in the journal. */
  readonly heldBytes: number;
  /** Events that wait at the end. */
  readonly pending: number;
};
