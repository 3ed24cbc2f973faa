import { BATCH_HEAD_LENGTH, batchBody } from '@sluice/protocol';
import { sliceEvents } from './event-bytes.ts';
import type { EventBytes } from './journal.ts';
import type { EpochRange } from './range-queue.ts';

/** Events on their way to the service. The body is made once: a batch that is sent again carries the same bytes. */
export interface Batch {
  readonly body: Uint8Array;
  /** The events as they lie in the body. */
  readonly events: EventBytes;
  /** Where the journal keeps them. Changes when a journal that failed takes them after all. */
  range: EpochRange;
}

/** Copies events, which may lie in the ring or a read buffer, into a batch of their own. */
export function createBatch({ bytes, ends, times }: EventBytes, range: EpochRange): Batch {
  const body = batchBody(bytes);
  return {
    body,
    events: { bytes: body.subarray(BATCH_HEAD_LENGTH, BATCH_HEAD_LENGTH + bytes.length), ends, times },
    range,
  };
}

/** A part of a batch, events `from` (inclusive) to `to` (exclusive), as a batch of its own. */
export function cutBatch({ events, range }: Batch, from: number, to: number): Batch {
  const limit = { maxEvents: to - from, maxBytes: events.bytes.length };
  // As such it was not sent before, whatever became of the whole.
  const cut = { ...range, isWhole: undefined, from: range.from + from, to: range.from + to };
  return createBatch(sliceEvents(events, from, limit), cut);
}

/** Cuts a batch of two or more events in half. */
export function splitBatch(batch: Batch): [Batch, Batch] {
  const count = batch.events.ends.length;
  const middle = Math.ceil(count / 2);
  return [cutBatch(batch, 0, middle), cutBatch(batch, middle, count)];
}
