export interface MemorySettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly events: number;
}

export type MemoryTold = {
  readonly type: 'measured';
  /** The most memory held, over that of the start. */
  readonly peakBytes: number;
};
