import { BATCH_HEAD_LENGTH, BATCH_OVERHEAD_BYTES, encloseBatch } from '@sluice/protocol';
import type { EventBytes } from '../base/event-bytes.ts';
import { copyEvents, joinedLength, sliceEvents } from '../base/event-bytes.ts';
import type { EpochRange } from '../base/range-queue.ts';
import type { Bodies } from './body-memory.ts';

/** Events on their way to the service. The body is made once: a batch that is sent again carries the same bytes. */
export interface Batch {
  readonly body: Uint8Array;
  /** The events as they lie in the body. */
  readonly events: EventBytes;
  /** Where the journal keeps them. Changes when a journal that failed takes them after all. */
  range: EpochRange;
  /** What the body lies in, where that may be used again once the service has taken it. */
  memory?: Uint8Array | undefined;
}

/** Copies events, which may lie in the ring or a read buffer, into a batch of their own. */
export function createBatch(events: EventBytes, range: EpochRange): Batch {
  return fillBatch([events], range, new Uint8Array(events.bytes.length + BATCH_OVERHEAD_BYTES));
}

/** As `createBatch`, of several groups, in memory that may be used again. */
export function joinBatch(groups: readonly EventBytes[], range: EpochRange, bodies: Bodies): Batch {
  const memory = bodies.take(joinedLength(groups) + BATCH_OVERHEAD_BYTES);
  return { ...fillBatch(groups, range, memory), memory };
}

function fillBatch(groups: readonly EventBytes[], range: EpochRange, memory: Uint8Array): Batch {
  const events = copyEvents(groups, memory, BATCH_HEAD_LENGTH);
  return { body: encloseBatch(memory, events.bytes.length), events, range };
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
