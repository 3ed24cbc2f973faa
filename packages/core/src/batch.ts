import { batchBody } from '@sluice/protocol';
import type { EventBytes } from './journal.ts';
import type { EpochRange } from './range-queue.ts';

const HEAD_LENGTH = '{"batch":['.length;

/** Events on their way to the service. The body is made once: a batch that is sent again carries the same bytes. */
export interface Batch {
  readonly body: Uint8Array;
  /** The events as they lie in the body. */
  readonly events: EventBytes;
  /** Where the journal keeps them. */
  readonly range: EpochRange;
}

/** Copies events, which may lie in the ring or a read buffer, into a batch of their own. */
export function createBatch({ bytes, ends }: EventBytes, range: EpochRange): Batch {
  const body = batchBody(bytes);
  return { body, events: { bytes: body.subarray(HEAD_LENGTH, HEAD_LENGTH + bytes.length), ends }, range };
}

/** Cuts a batch of two or more events in half. */
export function splitBatch({ events, range }: Batch): [Batch, Batch] {
  const { bytes, ends } = events;
  const middle = Math.ceil(ends.length / 2);
  const end = ends[middle - 1] ?? 0;
  const first = { bytes: bytes.subarray(0, end), ends: ends.subarray(0, middle) };
  const start = end + 1;
  const second = { bytes: bytes.subarray(start), ends: ends.subarray(middle).map((offset) => offset - start) };
  const cut = range.from + middle;
  return [createBatch(first, { ...range, to: cut }), createBatch(second, { ...range, from: cut })];
}
