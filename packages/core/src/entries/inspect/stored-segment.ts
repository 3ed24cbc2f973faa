import { basename } from 'node:path';
import { splitEvents } from '../../base/event-bytes.ts';
import type { Span } from '../../base/range.ts';
import { nodeFileSystem } from '../../keep/file/disk/node-file-system.ts';
import { SEGMENT_SUFFIX } from '../../keep/file/format/segment-header.ts';
import { OpenFiles } from '../../keep/file/segments/open-files.ts';
import { Segment } from '../../keep/file/segments/segment.ts';
import { ReadingBuffer } from '../../keep/file/segments/segment-reader.ts';
import { lookAt, type SegmentPlace } from './slots.ts';

const PAGE = { maxEvents: 1024, maxBytes: 512 * 1024 };
const ONE = { maxEvents: 1, maxBytes: 0 };

/** What is in a segment. */
export interface SegmentReport {
  readonly path: string;
  /** Number of events that are not released. */
  readonly waiting: number;
  /** Number of events that were delivered, became dead letters or were dropped. */
  readonly released: number;
  /** Bytes of its files. */
  readonly bytes: number;
  /** When the oldest waiting event was accepted, in milliseconds since 1970. Undefined if there is none, or if that is not known. */
  readonly oldestAt: number | undefined;
  /** Bytes that are no intact events, as far as its header and its end show. `verifyJournal()` reads all of it. */
  readonly damagedBytes: number;
  /** Whether another version of Sluice wrote it: then nothing else is known of it. */
  readonly isForeign: boolean;
}

/** An event, or a dead letter, as it is stored. */
export interface StoredText {
  readonly text: Uint8Array;
  readonly isReleased: boolean;
}

/** A segment that is only read. */
export class StoredSegment {
  readonly #files = new OpenFiles(nodeFileSystem, 1);
  readonly #segment: Segment;
  #damagedBytes = 0;
  /** Undefined: another version of Sluice wrote it. */
  #waiting: readonly Span[] | undefined;

  private constructor({ directory, name }: SegmentPlace) {
    const context = {
      site: {
        fs: nodeFileSystem,
        observer: {
          damaged: (_path: string, bytes: number) => {
            this.#damagedBytes += bytes;
          },
          failed: () => {},
        },
      },
      files: this.#files,
      readingBuffer: new ReadingBuffer(),
      onMissing: () => {},
    };
    this.#segment = new Segment(context, 1, directory, basename(name, SEGMENT_SUFFIX));
  }

  /** Calls `work` with a segment. Resolves to undefined if its file is gone: its owner deletes what is delivered. */
  static async use<Result>(
    place: SegmentPlace,
    work: (segment: StoredSegment) => Promise<Result>,
  ): Promise<Result | undefined> {
    return lookAt(place, async (isLast) => {
      const stored = new StoredSegment(place);
      try {
        stored.#waiting = await stored.#segment.recover();
        return stored.#damagedBytes === 0 || isLast ? await work(stored) : undefined;
      } finally {
        await stored.#files.closeAll();
      }
    });
  }

  async report(): Promise<SegmentReport> {
    const { path, end, bytes } = this.#segment;
    const spans = this.#waiting ?? [];
    const waiting = spans.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      path,
      waiting,
      released: end - waiting,
      bytes,
      oldestAt: await this.#oldestAt(spans),
      damagedBytes: this.#damagedBytes,
      isForeign: this.#waiting === undefined,
    };
  }

  /** The texts of its intact events. Those that are released are there as long as their file is. */
  async texts(): Promise<StoredText[]> {
    const texts: StoredText[] = [];
    const { end } = this.#segment;
    let next = 0;
    for (const { from, to } of [...(this.#waiting ?? []), { from: end, to: end }]) {
      for (const span of [
        { from: next, to: from, isReleased: true },
        { from, to, isReleased: false },
      ])
        await this.#read(span, texts);
      next = to;
    }
    return texts;
  }

  async #read(
    { from, to, isReleased }: Span & Pick<StoredText, 'isReleased'>,
    texts: StoredText[],
  ): Promise<void> {
    for (let at = from; at < to; ) {
      const { events, range } = await this.#segment.read({ segment: 1, from: at, to }, PAGE);
      // The next read may use the same memory.
      for (const text of splitEvents(events)) texts.push({ text: Uint8Array.from(text), isReleased });
      at = range.to;
    }
  }

  async #oldestAt([first]: readonly Span[]): Promise<number | undefined> {
    if (first === undefined) return undefined;
    const { events } = await this.#segment.read({ segment: 1, ...first }, ONE);
    return events.times?.[0] || undefined;
  }
}
