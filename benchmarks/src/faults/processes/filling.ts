/** What a process that fills a disk is to do. */
export interface FillingSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly life: number;
  readonly seed: number;
  /** How often it fills the disk while the service is away, and drains it once that is back. */
  readonly cycles: number;
  /** The most that its journal may take, and what gives way then. Larger than the disk: the disk itself is full first. */
  readonly maxBytes: number;
  readonly whenFull: 'drop-oldest' | 'drop-newest';
  /** How many events it tracks in a cycle: more than the disk holds. */
  readonly events: number;
  /** Whether it ends with a full disk, for the next one to drain. */
  readonly leavesFull: boolean;
}

/** What it tells. */
export interface FillingTold {
  readonly type: 'filled';
  readonly tracked: number;
  /** Events that were reported as dropped. */
  readonly dropped: number;
  /** Cycles in which the disk was full: the journal gave way to memory. */
  readonly inMemory: number;
  readonly problems: readonly string[];
}
