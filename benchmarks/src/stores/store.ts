import type { SampleEvent } from '../workload/sample-event.ts';

/** Something that keeps events in files. */
export interface Store {
  /** How many groups of events it has made safe so far, each with one sync, transaction or batch. */
  readonly commits: number;
  add(event: SampleEvent): void;
  /** A turn of the event loop ends: stores that commit in groups do so now, if enough events wait. */
  endTurn(): void;
  /** Resolves once all is as safe as this store makes it. */
  settle(): Promise<unknown>;
  /** How many events it holds, found by looking. */
  count(): number | Promise<number>;
  close(): unknown;
}
