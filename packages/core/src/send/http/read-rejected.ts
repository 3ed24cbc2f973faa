import type { Batch } from '../../wait/batch.ts';
import type { Outcome } from './transport.ts';

/** Which events of an accepted batch the answer names as rejected, in order, each with the reason. Undefined where it says nothing. */
export type ReadRejected = (
  batch: Batch,
  answer: Extract<Outcome, { kind: 'answered' }>,
) => [index: number, reason: string][] | undefined;
