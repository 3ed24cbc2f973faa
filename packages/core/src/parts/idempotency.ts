import type { Batch } from '../wait/parcel.ts';
import { batchId } from './batch-id.ts';

/** Makes the header with the id of a batch, which is the same for each retry. */
export interface IdempotencyPart {
  create(name: string): (batch: Batch) => Readonly<Record<string, string>>;
}

/**
 * For pages. In Node this is built in.
 * @example createTracker({ ...options, delivery: { idempotencyHeader: 'Idempotency-Key' }, parts: { idempotency } });
 */
export const idempotency: IdempotencyPart = {
  create(name) {
    /** Ids of batches that were sent, kept as long as the batches. */
    const ids = new WeakMap<Batch, string>();
    return (batch) => {
      const id = ids.get(batch) ?? batchId(batch);
      ids.set(batch, id);
      return { [name]: id };
    };
  },
};
