import type { Rule } from '@sluice/protocol';
import type { Batch } from '../wait/batch.ts';
import { batchId } from './batch-id.ts';

/** A name as RFC 9110 has it, section 5.6.2, and not one of those that a request has already. */
const FREE_HEADER = /^(?!(?:authorization|content-(?:type|length|encoding)|host)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** What makes the header that carries the id of a batch, equal over retries, and what its name must be. */
export interface IdempotencyPart {
  readonly rule: Rule;
  create(name: string): (batch: Batch) => Readonly<Record<string, string>>;
}

/** For pages: `createTracker({ delivery: { idempotencyHeader: … }, parts: { idempotency } })`. In Node a tracker has this already. */
export const idempotency: IdempotencyPart = {
  rule: [
    (value) => FREE_HEADER.test(String(value)) && typeof value === 'string',
    'the name of a header that Sluice does not send itself',
  ],
  create(name) {
    /** Of batches that were sent, for as long as these are. */
    const ids = new WeakMap<Batch, string>();
    return (batch) => {
      const id = ids.get(batch) ?? batchId(batch);
      ids.set(batch, id);
      return { [name]: id };
    };
  },
};
