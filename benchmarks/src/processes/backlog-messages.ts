export interface WaitingSettings {
  /** A directory of this process alone. */
  readonly directory: string;
  /** Events that come before the backlog, through a tracker with a small buffer. */
  readonly warmUp: number;
  /** Events that already wait when track() is timed. */
  readonly waiting: number;
  /** Events that another tracker takes before track() is timed, so that each process has tracked the same number by then. */
  readonly others: number;
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
