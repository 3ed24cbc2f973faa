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

/** Cuts a batch of two or more events in half. */
export function splitBatch({ events, range }: Batch): [Batch, Batch] {
  const middle = Math.ceil(events.ends.length / 2);
  const half = { maxEvents: middle, maxBytes: events.bytes.length };
  const cut = range.from + middle;
  return [
    createBatch(sliceEvents(events, 0, half), { ...range, to: cut }),
    createBatch(sliceEvents(events, middle, half), { ...range, from: cut }),
  ];
}
