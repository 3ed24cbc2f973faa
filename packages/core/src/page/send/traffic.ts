import type { Batch } from './batch.ts';

/** What is under way. */
export interface Traffic {
  /** Batches that wait for their retry. */
  retries: Batch[];
  running: number;
  /** How often the page was left. */
  departures: number;
  /** How often consent was denied. */
  denials: number;
  /** How often a retry was asked for. Answers to requests before it may be about another key. */
  resumes: number;
  isStopped: boolean;
}
