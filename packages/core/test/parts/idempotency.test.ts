import { describe, expect, it } from 'vitest';
import { idempotency } from '../../src/parts/idempotency.ts';
import type { Batch } from '../../src/wait/parcel.ts';
import { createBatch, cutBatch } from '../bench/batch.ts';
import { toEventBytes } from '../bench/event-texts.ts';

const RANGE = { segment: 1, from: 0, to: 3 };
const texts = (payload: number) => [1, 2, 3].map((n) => JSON.stringify({ uuid: `id-${n}`, payload }));

/** The id that the header of a batch has. */
function batchId(batch: Batch): string | undefined {
  const headersOf = idempotency('key');
  return headersOf?.(batch).key;
}

describe('the id of a batch', () => {
  it('is the same for the same bytes, wherever the batch is kept', () => {
    const one = createBatch(toEventBytes(texts(1)), RANGE);
    const other = createBatch(toEventBytes(texts(1)), { ...RANGE, segment: 7 });
    expect(batchId(one)).toBe(batchId(other));
    expect(batchId(one)).toMatch(/^id-1-3-[0-9a-f]{8}$/);
  });

  it('is another for other bytes, and for a part of them', () => {
    const batch = createBatch(toEventBytes(texts(1)), RANGE);
    const others = [createBatch(toEventBytes(texts(2)), RANGE), cutBatch(batch, 0, 2), cutBatch(batch, 1, 3)];
    expect(new Set([batch, ...others].map(batchId)).size).toBe(4);
  });

  it('can stand in a header, also where the event has no uuid', () => {
    expect(batchId(createBatch(toEventBytes(['{}']), { ...RANGE, to: 1 }))).toMatch(/^[\x21-\x7e]+$/);
  });
});

it('a batch that goes again with fewer events has another id', () => {
  const headersOf = idempotency('key');
  const batch = createBatch(toEventBytes(texts(1)), RANGE);
  const whole = headersOf?.(batch).key;
  expect(headersOf?.(batch).key).toBe(whole);
  batch.remove({ from: 0, to: 1 });
  expect(headersOf?.(batch).key).toMatch(/^id-2-2-/);
});
