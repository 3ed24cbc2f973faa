export interface MemorySettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly events: number;
}

export type MemoryTold = {
  readonly type: 'measured';
  /** Peak memory above that at the start. */
  readonly peakBytes: number;
};
