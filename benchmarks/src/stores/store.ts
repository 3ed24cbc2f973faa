import type { SampleEvent } from '../workload/sample-event.ts';

/** Stores events in files. */
export interface Store {
  /** How many groups of events it has made safe so far. Each takes one sync, transaction or batch. */
  readonly commits: number;
  add(event: SampleEvent): void;
  /** Called at the end of a turn of the event loop. Stores that commit in groups do so now, if enough events wait. */
  endTurn(): void;
  /** Resolves once all events are as safe as this store can make them. */
  settle(): Promise<unknown>;
  /** How many events it contains. */
  count(): number | Promise<number>;
  close(): unknown;
}
