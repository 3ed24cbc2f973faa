import type { Batch } from './batch.ts';
import { batchId } from './batch-id.ts';

/** Makes the header of this name that carries the id of a batch, equal over retries. */
export type IdempotencyPart = (name: string) => (batch: Batch) => Readonly<Record<string, string>>;

/** For pages: `createTracker({ delivery: { idempotencyHeader: … }, parts: { idempotency } })`. In Node a tracker has this already. */
export const idempotency: IdempotencyPart = (name) => {
  /** Of batches that were sent, for as long as these are. */
  const ids = new WeakMap<Batch, string>();
  return (batch) => {
    const id = ids.get(batch) ?? batchId(batch);
    ids.set(batch, id);
    return { [name]: id };
  };
};
