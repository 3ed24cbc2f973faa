import type { EventBytes, Limit } from '../../../base/event-bytes.ts';
import { COMMA } from '../../../base/event-bytes.ts';
import { FrameReader } from '../format/frame.ts';
import type { SegmentHeader } from '../format/segment-header.ts';

/** What was found of the wanted events in a part of a segment. */
export interface Collected {
  /** The first of them, or undefined where none is whole in this part. */
  readonly events: EventBytes | undefined;
  /** Whether there are as many as were wanted, or as fit. */
  readonly isFull: boolean;
  /** Whether something else is in their place. */
  readonly isBroken: boolean;
  /** Where in the part the first frame starts that was not needed. */
  readonly offset: number;
}

/**
 * Moves consecutive events together, to the start of the bytes in which their frames lie: `wanted.from` and as many of
 * those behind it as are whole and within the limit.
 */
export function collect(
  bytes: Buffer,
  isEnd: boolean,
  wanted: { readonly from: number; readonly to: number },
  limit: Limit,
  { id, baseTime }: Pick<SegmentHeader, 'id' | 'baseTime'>,
): Collected {
  const reader = new FrameReader(bytes, id, isEnd);
  const most = Math.min(limit.maxEvents, wanted.to - wanted.from);
  const ends = new Uint32Array(most);
  const times = new Float64Array(most);
  let count = 0;
  let length = 0;
  let offset = 0;
  let isBroken = false;
  let isFull = most < 1;
  while (!isFull && reader.next()) {
    const expected = wanted.from + count;
    if (reader.damaged > 0 || reader.index > expected) {
      isBroken = true;
      break;
    }
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
  if (count === 0) return { events: undefined, isFull, isBroken, offset };
  const events = {
    bytes: bytes.subarray(0, length),
    ends: ends.subarray(0, count),
    times: times.subarray(0, count),
  };
  return { events, isFull, isBroken: false, offset };
}
