import { aFunction, type Rule } from '@sluice/protocol';
import type { Batch } from './batch.ts';
import { rejectedIndexes } from './rejected-indexes.ts';

/** An event that the service names in its answer as not taken. */
export interface RejectedEvent {
  /** Its place in the batch, from 0. Needed unless there is a uuid. */
  readonly index?: number | undefined;
  readonly uuid?: string | undefined;
  /** Kept with the dead letter. */
  readonly reason?: string | undefined;
}

/** An answer by which the service accepted a batch. */
export interface AcceptingAnswer {
  readonly status: number;
  /** The start of its body as text, at most 64 KiB. */
  readonly body: string;
  /** How many events the batch had. */
  readonly count: number;
}

/** Reads from an answer which events of an accepted batch were not taken; none where it returns nothing. */
export type Classify = (answer: AcceptingAnswer) => readonly RejectedEvent[] | undefined;

/** What asks a function of the application about an answer, and what that must be. */
export interface ClassifyPart {
  readonly rule: Rule;
  /** Which events of an accepted batch the answer names as rejected, in order, each with the reason. Undefined where it says nothing. */
  read(
    batch: Batch,
    answer: Omit<AcceptingAnswer, 'count'>,
    classify: Classify,
    onFailed: (error: unknown) => void,
  ): [index: number, reason: string][] | undefined;
}

/** For pages: `createTracker({ delivery: { classify: … }, parts: { classify } })`. In Node a tracker has this already. */
export const classify: ClassifyPart = { rule: aFunction(), read: rejectedIndexes };
