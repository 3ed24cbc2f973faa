import type { Batch } from '../../wait/parcel.ts';
import type { Outcome } from './transport.ts';

/**
 * Returns the events of an accepted batch that the answer names as rejected, in order, each with the reason. Undefined if the
 * answer says nothing about that.
 */
export type ReadRejected = (
  batch: Batch,
  answer: Extract<Outcome, { kind: 'answered' }>,
) => [index: number, reason: string][] | undefined;
