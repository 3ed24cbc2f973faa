import type { Rule } from '@sluice/protocol';
import type { Batch } from '../wait/batch.ts';
import { batchId } from './batch-id.ts';

/** A header name by RFC 9110, section 5.6.2, except those that a request already has. */
const FREE_HEADER = /^(?!(?:authorization|content-(?:type|length|encoding)|host)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** Makes the header with the id of a batch, which is the same for each retry, and checks its name. */
export interface IdempotencyPart {
  readonly rule: Rule;
  create(name: string): (batch: Batch) => Readonly<Record<string, string>>;
}

/** For pages: `createTracker({ delivery: { idempotencyHeader: … }, parts: { idempotency } })`. In Node this is built in. */
export const idempotency: IdempotencyPart = {
  rule: [
    (value) => FREE_HEADER.test(String(value)) && typeof value === 'string',
    'the name of a header that Sluice does not send itself',
  ],
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
