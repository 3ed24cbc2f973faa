export interface WaitingSettings {
  readonly journalDirectory: string;
  /** Events that wait already when track() is timed. */
  readonly waiting: number;
  /** Events that are timed. */
  readonly timed: number;
}

export type WaitingTold = {
  readonly type: 'measured';
  readonly nsPerEvent: number;
  /** Memory held beyond that of the start, with all of `waiting` in the journal. */
  readonly heldBytes: number;
  /** Events that wait in the end. */
  readonly pending: number;
};
