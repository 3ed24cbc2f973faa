import type { Batch } from '../wait/parcel.ts';
import { batchId } from './batch-id.ts';

/** Makes the header with the id of a batch, which is the same for each retry. */
export type IdempotencyPart = (user: {
  readonly settings: { readonly delivery: { readonly idempotencyHeader?: string | undefined } };
}) => { readonly headersOf: ((batch: Batch) => Readonly<Record<string, string>>) | undefined };

/**
 * For pages. In Node this is built in.
 * @example createTracker({ ...options, delivery: { idempotencyHeader: 'Idempotency-Key' }, parts: { idempotency } });
 */
export const idempotency: IdempotencyPart = ({ settings }) => {
  const { idempotencyHeader } = settings.delivery;
  /** Ids of batches that were sent, kept as long as the batches. */
  const ids = new WeakMap<Batch, string>();
  const headersOf = (name: string) => (batch: Batch) => {
    const id = ids.get(batch) ?? batchId(batch);
    ids.set(batch, id);
    return { [name]: id };
  };
  return { headersOf: idempotencyHeader ? headersOf(idempotencyHeader) : undefined };
};
