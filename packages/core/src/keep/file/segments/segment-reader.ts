import { COMMA, type EventBytes, type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import { firstBehind, type Range, rangeLength, type Span } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import type { OpenFile } from '../disk/file-system.ts';
import { FRAME_HEADER_BYTES, FrameReader, largerPart, type WrittenGroup } from '../format/frame.ts';
import { SegmentHeader } from '../format/segment-header.ts';
import type { OpenFiles } from './open-files.ts';
import type { IntactRun } from './scan.ts';

/** A read takes READ_MARGIN times the expected size, and at least this many bytes. */
const LEAST_READ_BYTES = 16 * 1024;
const READ_MARGIN = 1.25;
/** For a sequential caller, one read takes the bytes of this many reads, up to MOST_READ_AHEAD_BYTES. */
const MOST_READ_AHEAD = 8;
const MOST_READ_AHEAD_BYTES = 1024 * 1024;
/** After this many events, other tasks have a turn. */
const MOST_EVENTS = 4096;
/** The reader remembers a frame's position about once in this many bytes. A later read starts close before its event. */
const WAYMARK_BYTES = 128 * 1024;

interface Extent extends Pick<SegmentHeader, 'id' | 'baseTime'> {
  /** Confirmed bytes, and the index after the last event in them. */
  readonly size: number;
  readonly end: number;
}

/** All events, while no position of a later frame is known. */
const ALL: IntactRun = { from: 0, to: Number.POSITIVE_INFINITY, offset: SegmentHeader.BYTES };

/** Reads events from the file of a segment. Reads ahead for a caller that reads sequentially. */
export class SegmentReader {
  readonly #file: Extent;
  readonly #memory: OpenFiles['memory'];
  /** Known positions of frames, in order. What is appended belongs to the last run. */
  #runs: IntactRun[] = [ALL];
  /** Whether a scan found these runs. Then what is not intact is passed over. */
  #isScanned = false;
  #lastPieces: IntactRun | undefined;
  #resume = { index: 0, offset: SegmentHeader.BYTES };
  #given = 0;

  constructor(file: Extent, memory: OpenFiles['memory']) {
    this.#file = file;
    this.#memory = memory;
  }

  /** Takes over what a scan of the damaged file found. */
  setRuns(runs: readonly IntactRun[]): void {
    this.#runs = [...runs.slice(0, -1), { ...(runs.at(-1) ?? ALL), to: ALL.to }];
    this.#isScanned = true;
    this.#resume = { index: 0, offset: SegmentHeader.BYTES };
  }

  /** The run in pieces that an event of a damaged file lies in, unless that was asked for last. */
  newPiecesAt(index: number): IntactRun | undefined {
    const runs = this.#runs;
    const run = this.#isScanned ? runs[firstBehind(runs, index)] : undefined;
    if (run?.end === undefined || run === this.#lastPieces) return undefined;
    this.#lastPieces = run;
    return run;
  }

  /** Remembers that the frame of event `index` is at `offset`, if that is far behind the last known position. */
  mark(index: number, offset: number): void {
    const last = this.#runs.at(-1) ?? ALL;
    if (offset - last.offset < WAYMARK_BYTES) return;
    this.#runs.splice(-1, 1, { ...last, to: index }, { from: index, to: ALL.to, offset });
  }

  /**
   * Reads events from the start of a range. Undefined if the first event is not in its place, and the file was not scanned. After a
   * scan, no events if it is not intact; the range then ends at the next one that is.
   */
  async read(file: OpenFile, range: Range, limit: Limit): Promise<Reading | undefined> {
    const runs = this.#runs;
    const run = runs[firstBehind(runs, range.from)] ?? ALL;
    if (run.from > range.from)
      return { events: NO_EVENTS, range: { ...range, to: Math.min(range.to, run.from) } };
    // The next run may be elsewhere in the file.
    const wanted = this.#isScanned ? { ...range, to: Math.min(range.to, run.to) } : range;
    const offset = this.#offsetIn(run, range.from);
    const ahead = this.#readAhead(offset, wanted, limit);
    if (ahead !== undefined) return ahead;
    let length = this.#lengthFor(wanted, limit);
    // A caller that continued where the last read ended will do so again: read ahead.
    if (offset === this.#resume.offset)
      length = Math.max(length, Math.min(length * MOST_READ_AHEAD, MOST_READ_AHEAD_BYTES));
    for (let at = offset; ; ) {
      const size = Math.max(0, Math.min(length, this.#file.size - at));
      const buffer = this.#memory.take(size);
      let unused: Buffer | undefined;
      try {
        const bytes = buffer.subarray(0, await file.read(buffer.subarray(0, size), at));
        this.#given = 0;
        // Another read had the file scanned meanwhile.
        if (runs !== this.#runs) return await this.read(file, range, limit);
        const isEnd = bytes.length < size || at + size >= this.#file.size;
        const found = collect(bytes, isEnd, wanted, limit, this.#file, this.#isScanned);
        at += found.offset;
        if (found.count > 0 || found.next !== undefined || (isEnd && this.#isScanned)) {
          unused = bytes.subarray(found.offset);
          return this.#found(found, wanted, at);
        }
        if (found.isBroken || isEnd) return undefined;
        if (found.offset === 0) length = largerPart(length);
      } finally {
        this.#memory.give(buffer, unused && { owner: this, offset: at, bytes: unused });
      }
    }
  }

  /** Answers from the bytes that were read ahead, if they are enough. After many events, a read lets other tasks have a turn. */
  #readAhead(offset: number, wanted: Range, limit: Limit): Reading | undefined {
    if (this.#given >= MOST_EVENTS) return undefined;
    const ahead = this.#memory.takeAhead(this, offset);
    if (ahead === undefined) return undefined;
    const found = collect(ahead.bytes, false, wanted, limit, this.#file, this.#isScanned);
    const isEnough = found.isFull || found.next !== undefined;
    const left = { owner: this, offset: offset + found.offset, bytes: ahead.bytes.subarray(found.offset) };
    this.#memory.give(ahead.buffer, isEnough ? left : undefined);
    return isEnough ? this.#found(found, wanted, left.offset) : undefined;
  }

  /** @param offset Where the next event starts. */
  #found({ events, count, next }: ReturnType<typeof collect>, wanted: Range, offset: number): Reading {
    const to = count > 0 ? wanted.from + count : Math.min(next ?? wanted.to, wanted.to);
    this.#resume = { index: to, offset };
    this.#given += Math.max(count, MOST_EVENTS / MOST_READ_AHEAD);
    if (!this.#isScanned) this.mark(to, offset);
    return { events, range: { ...wanted, to } };
  }

  /** Number of bytes to read for the requested events, if they are of average size. */
  #lengthFor(wanted: Range, { maxEvents, maxBytes }: Limit): number {
    const count = Math.min(maxEvents, rangeLength(wanted), MOST_EVENTS);
    const meanBytes = this.#file.size / Math.max(1, this.#file.end);
    const expected = Math.max(LEAST_READ_BYTES, count * meanBytes * READ_MARGIN);
    return Math.ceil(Math.min(expected, maxBytes + FRAME_HEADER_BYTES * count));
  }

  /** Where reading is to start for an event of a run. */
  #offsetIn(run: IntactRun, index: number): number {
    const { index: at, offset } = this.#resume;
    return run.from < at && at <= index && offset > run.offset ? offset : run.offset;
  }
}

/** Reads events from groups that are in memory. @param header Of their segment. */
export function readGroups(
  groups: readonly WrittenGroup[],
  range: Range,
  limit: Limit,
  header: Pick<SegmentHeader, 'id' | 'baseTime'>,
): Reading {
  const group = groups.find(({ to }) => to > range.from);
  if (group === undefined) return { events: NO_EVENTS, range };
  const wanted = { ...range, to: Math.min(range.to, group.to) };
  const { events, count } = collect(Buffer.from(group.frames), true, wanted, limit, header);
  return { events, range: count > 0 ? { ...range, to: range.from + count } : wanted };
}

/** Shared by all reads: a read for thousands of events may find only one. */
const gatheredEnds = new Uint32Array(MOST_EVENTS);
const gatheredTimes = new Float64Array(MOST_EVENTS);

/**
 * Moves consecutive events to the start of `bytes`, over their frames: `wanted.from` and as many events after it as are
 * complete and within the limit. Returns these events, and:
 * - `isFull`: whether these are all wanted events, or as many as the limit allows.
 * - `isBroken`: whether damage, or a later event, is in the place of the first wanted one.
 * - `next`: the later event in the place of the next one, if damage is skipped: those between are missing.
 * - `offset`: where in `bytes` the first unused frame starts.
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
): {
  readonly events: EventBytes;
  readonly count: number;
  readonly isFull: boolean;
  readonly isBroken: boolean;
  readonly next: number | undefined;
  readonly offset: number;
} {
  const reader = new FrameReader(bytes, id, isEnd ? 0 : Number.POSITIVE_INFINITY);
  const most = Math.min(limit.maxEvents, wanted.to - wanted.from, MOST_EVENTS);
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
      gatheredEnds[count] = length;
      gatheredTimes[count] = baseTime + (reader.age ?? Number.NaN);
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
      ends: gatheredEnds.slice(0, count),
      times: gatheredTimes.slice(0, count),
    },
    ...{ count, isFull, isBroken, offset },
    next: skips ? later : undefined,
  };
}
