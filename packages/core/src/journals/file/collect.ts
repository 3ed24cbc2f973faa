import { COMMA } from '../../event-bytes.ts';
import type { EventBytes, Limit } from '../../journal.ts';
import { FrameReader } from './frame.ts';
import type { SegmentHeader } from './segment-header.ts';

/** What was found of the wanted events in a part of a segment. */
export interface Collected {
  /** The first of them, or undefined where none is whole in this part. */
  readonly events: EventBytes | undefined;
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
  const ends: number[] = [];
  const times: number[] = [];
  let length = 0;
  let offset = 0;
  let isBroken = false;
  while (ends.length < most && reader.next()) {
    const expected = wanted.from + ends.length;
    if (reader.damaged > 0 || reader.index > expected) {
      isBroken = true;
      break;
    }
    if (reader.index === expected) {
      const size = reader.end - reader.start + (ends.length > 0 ? 1 : 0);
      if (ends.length > 0 && length + size > limit.maxBytes) break;
      if (ends.length > 0) bytes[length++] = COMMA;
      bytes.copyWithin(length, reader.start, reader.end);
      length += reader.end - reader.start;
      ends.push(length);
      times.push(baseTime + (reader.age ?? Number.NaN));
    }
    offset = reader.offset;
  }
  if (ends.length === 0) return { events: undefined, isBroken, offset };
  const events = {
    bytes: bytes.subarray(0, length),
    ends: Uint32Array.from(ends),
    times: Float64Array.from(times),
  };
  return { events, isBroken: false, offset };
}
