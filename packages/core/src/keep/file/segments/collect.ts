import type { EventBytes, Limit } from '../../../base/event-bytes.ts';
import { COMMA } from '../../../base/event-bytes.ts';
import { FrameReader } from '../format/frame.ts';
import type { SegmentHeader } from '../format/segment-header.ts';

/** The wanted events that were found in a part of a segment. */
interface Collected {
  /** The first wanted events; undefined if none is complete in this part. */
  readonly events: EventBytes | undefined;
  /** Whether all wanted events were found, or as many as the limit allows. */
  readonly isFull: boolean;
  /** Whether no event was found because damage or a later event is in its place. */
  readonly isBroken: boolean;
  /** Where in the part the first unused frame starts. */
  readonly offset: number;
}

/**
 * Moves consecutive events to the start of `bytes`, over their frames: `wanted.from` and as many events after it as are
 * complete and within the limit.
 */
export function collect(
  bytes: Buffer,
  isEnd: boolean,
  wanted: { readonly from: number; readonly to: number },
  limit: Limit,
  { id, baseTime }: Pick<SegmentHeader, 'id' | 'baseTime'>,
): Collected {
  const reader = new FrameReader(bytes, id, isEnd ? 0 : Number.POSITIVE_INFINITY);
  const most = Math.min(limit.maxEvents, wanted.to - wanted.from);
  const ends = new Uint32Array(most);
  const times = new Float64Array(most);
  let count = 0;
  let length = 0;
  let offset = 0;
  let isBroken = false;
  let isFull = most < 1;
  while (!isFull && reader.next(true)) {
    const expected = wanted.from + count;
    isBroken = reader.index > expected;
    if (isBroken) break;
    if (reader.index === expected) {
      const size = reader.end - reader.start + (count > 0 ? 1 : 0);
      isFull = count > 0 && length + size > limit.maxBytes;
      if (isFull) break;
      if (count > 0) bytes[length++] = COMMA;
      bytes.copyWithin(length, reader.start, reader.end);
      length += reader.end - reader.start;
      ends[count] = length;
      times[count] = baseTime + (reader.age ?? Number.NaN);
      count += 1;
      isFull = count === most;
    }
    offset = reader.offset;
  }
  if (count === 0) return { events: undefined, isFull, isBroken: isBroken || reader.damaged > 0, offset };
  const events = {
    bytes: bytes.subarray(0, length),
    ends: ends.subarray(0, count),
    times: times.subarray(0, count),
  };
  return { events, isFull, isBroken: false, offset };
}
