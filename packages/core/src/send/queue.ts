/** Runs tasks in parallel: the part of p-queue that Sluice uses. */
export interface Queue {
  /** Number of running tasks. */
  readonly pending: number;
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves once no task runs or waits. */
  onIdle(): Promise<void>;
}
