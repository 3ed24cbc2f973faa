/** Runs work side by side: what is used of p-queue. */
export interface Queue {
  /** How much is running. */
  readonly pending: number;
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves once nothing runs or waits. */
  onIdle(): Promise<void>;
}
