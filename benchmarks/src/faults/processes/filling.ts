/** Settings of a process that fills a disk. */
export interface FillingSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly life: number;
  readonly seed: number;
  /** How often it fills the disk while the service is away, and drains it once the service is back. */
  readonly cycles: number;
  /** Limit of its journal, and what is dropped at the limit. If the limit is larger than the disk, the disk is full first. */
  readonly maxBytes: number;
  readonly whenFull: 'drop-oldest' | 'drop-newest';
  /** How many events it tracks in a cycle: more than the disk holds. */
  readonly events: number;
  /** Whether it ends with a full disk, which the next process drains. */
  readonly leavesFull: boolean;
}

/** The messages that it sends. */
export interface FillingTold {
  readonly type: 'filled';
  readonly tracked: number;
  /** Events that were reported as dropped. */
  readonly dropped: number;
  /** Cycles in which the disk was full, so that the journal was in memory. */
  readonly inMemory: number;
  readonly problems: readonly string[];
}
