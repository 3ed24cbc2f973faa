import { aFunction, type Rule } from '@sluice/protocol';
import type { Batch } from '../wait/batch.ts';
import { type AcceptingAnswer, type Classify, rejectedIndexes } from './rejected-indexes.ts';

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
