import { COMMA, type EventBytes, type Limit } from '../../../base/event-bytes.ts';
import type { Span } from '../../../base/range.ts';
import { FrameReader } from '../format/frame.ts';
import type { SegmentHeader } from '../format/segment-header.ts';

/** The wanted events that were found in a part of a segment. */
export interface Collected {
  /** The first wanted events. */
  readonly events: EventBytes;
  readonly count: number;
  /** Whether these are all wanted events, or as many as the limit allows. */
  readonly isFull: boolean;
  /** Whether damage, or a later event, is in the place of the first wanted one. */
  readonly isBroken: boolean;
  /** The later event in the place of the next one, if damage is skipped: those between are missing. */
  readonly next: number | undefined;
  /** Where in the part the first unused frame starts. */
  readonly offset: number;
}

/**
 * Moves consecutive events to the start of `bytes`, over their frames: `wanted.from` and as many events after it as are
 * complete and within the limit.
 *
 * @param skips Whether to skip what is not intact. If not, it is the end.
 */
export function collect(
  bytes: Buffer,
  isEnd: boolean,
  wanted: Span,
  limit: Limit,
  { id, baseTime }: Pick<SegmentHeader, 'id' | 'baseTime'>,
  skips: boolean = false,
): Collected {
  const reader = new FrameReader(bytes, id, isEnd ? 0 : Number.POSITIVE_INFINITY);
  const most = Math.min(limit.maxEvents, wanted.to - wanted.from);
  const ends = new Uint32Array(most);
  const times = new Float64Array(most);
  let count = 0;
  let length = 0;
  let offset = 0;
  let later: number | undefined;
  let isFull = most < 1;
  while (!isFull && reader.next(!skips)) {
    const expected = wanted.from + count;
    if (reader.index > expected) {
      later = reader.index;
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
  const isBroken = !skips && count === 0 && (later !== undefined || reader.damaged > 0);
  if (skips && later !== undefined) offset = reader.frameStart;
  else if (skips && !isFull) offset = reader.offset;
  return {
    events: {
      bytes: bytes.subarray(0, length),
      ends: ends.subarray(0, count),
      times: times.subarray(0, count),
    },
    ...{ count, isFull, isBroken, offset },
    next: skips ? later : undefined,
  };
}
