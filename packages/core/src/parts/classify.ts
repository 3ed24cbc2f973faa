import type { ReadRejected } from '../send/http/transport.ts';
import type { Batch } from '../wait/parcel.ts';
import { type AcceptingAnswer, type Classify, rejectedIndexes } from './rejected-indexes.ts';

/** Calls the application's `classify` function for an answer. */
export interface ClassifyPart {
  /**
   * Returns the events of an accepted batch that the answer names as rejected, in order, each with the reason. Undefined if the
   * answer says nothing about that.
   */
  read(
    batch: Batch,
    answer: Omit<AcceptingAnswer, 'count'>,
    classify: Classify,
    onFailed: (error: unknown) => void,
  ): ReturnType<ReadRejected>;
}

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, delivery: { classify }, parts: { classify } });
 */
export const classify: ClassifyPart = { read: rejectedIndexes };
