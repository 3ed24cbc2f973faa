import { join } from 'node:path';
import { Alarm } from '../../../base/alarm.ts';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { EventBytes } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import { MOST_OF_DISK } from '../../budget.ts';
import { diskError, errorCode, writeFileSync } from '../disk/file-system.ts';
import { framedLength, MOST_SPREAD_MS, type WrittenGroup, wholeSegment } from '../format/frame.ts';
import { SEGMENT_SUFFIX, SegmentHeader, segmentName } from '../format/segment-header.ts';
import { type Site, segmentSize } from '../site.ts';
import type { Tenancy } from '../slots/tenancy.ts';
import type { Segment } from './segment.ts';
import { FrameBuffers, SegmentWriter } from './segment-writer.ts';
import type { Segments } from './segments.ts';

/** One write: large enough to be worth a system call, small enough not to delay the next one. */
export const WRITE_BYTES: number = 512 * 1024;
/** After this time a new segment starts, so that the old one can be deleted once its events are delivered. */
const SEGMENT_AGE_MS = 60 * 60_000;
const SYNC_INTERVAL_MS = 100;
const SYNC_BYTES = 1024 * 1024;

/** Groups that are to be written with one call, and the result of that. */
interface Joint {
  readonly groups: EventBytes[];
  bytes: number;
  readonly written: Promise<{ readonly writer: SegmentWriter; readonly all: readonly WrittenGroup[] }>;
}

/** Writes groups to the current segment, one after the other. While it syncs one group, it writes the next. */
export class Appender {
  readonly #site: Site;
  readonly #tenancy: Tenancy;
  readonly #segments: Segments;
  readonly #buffers = new FrameBuffers();
  #writer: SegmentWriter | undefined;
  #writerMadeAt = 0;
  #joint: Joint | undefined;
  readonly #turns = new Turns();
  /** Settles once the most recent append has ended. */
  #lastAppend: Promise<void> = Promise.resolve();
  /** Rings when the current segment must be synced. */
  readonly #syncAlarm: Alarm;
  /** Number of `appendSync` calls. If it has grown since an append was called, `appendSync` has written the events. */
  #lastMoments = 0;
  /** Ends of segments, and what saves events after a failed sync. */
  readonly #endings = new Turns();

  constructor(site: Site, tenancy: Tenancy, segments: Segments) {
    this.#site = site;
    this.#tenancy = tenancy;
    this.#segments = segments;
    this.#syncAlarm = new Alarm(site.clock, () => this.#writer && this.#syncNow(this.#writer));
  }

  /** The number of the segment that new events go to. */
  get current(): number | undefined {
    return this.#writer?.segment.number;
  }

  append(events: EventBytes): Promise<Range> {
    const moments = this.#lastMoments;
    const { groups, written } = this.#jointFor(events.bytes.length);
    const index = groups.push(events) - 1;
    let confirm = () => {};
    const appended = (async () => {
      const { writer, all } = await written;
      const group = all[index];
      if (group === undefined) throw overtaken();
      confirm = () => writer.confirm(group);
      const { fsync } = this.#site;
      if (fsync === 'always') await this.#sync(writer).catch((cause) => this.#release(writer, group, cause));
      if (fsync === 'interval') this.#scheduleSync(writer);
      if (moments !== this.#lastMoments) await this.#release(writer, group, overtaken());
      const range = { segment: writer.segment.number, from: group.from, to: group.to };
      // A later look may have found the file gone. It reported nothing of these events: they did not count yet.
      if (this.#segments.hasLost(range))
        await this.#release(writer, group, new StorageError('the file is gone'));
      return range;
    })();
    // Confirm right before the caller of `append` continues: at the last moment, both must agree on which events are written.
    this.#lastAppend = appended.then(
      () => confirm(),
      () => undefined,
    );
    return appended;
  }

  appendSync(events: EventBytes): Range {
    const { clock, fs, fsync } = this.#site;
    this.#lastMoments += 1;
    this.#joint = undefined;
    const range = this.#writer?.appendSync(events);
    if (range) return range;
    const header = new SegmentHeader(0, events.times?.[0] ?? clock.now());
    const number = this.#segments.next();
    const name = segmentName(number);
    // First: if the write fails, the caller still has the events, and this process must not find a part of them.
    const expected = this.#tenancy.directory;
    const own = expected === undefined ? undefined : this.#segments.create(expected, number, name);
    const directory = this.#tenancy.writeSync((place) => {
      const path = join(place, name + SEGMENT_SUFFIX);
      writeFileSync(fs, path, wholeSegment(header, events), fsync !== 'never');
    });
    // If the process survives a signal, the journal must find and release these events.
    const segment = own && directory === expected ? own : this.#segments.create(directory, number, name);
    segment.begin(header);
    segment.grow(events.ends.length, framedLength(events));
    segment.sealed = true;
    this.#segments.hold(segment);
    return { segment: segment.number, from: 0, to: events.ends.length };
  }

  async sync(): Promise<void> {
    if (this.#writer !== undefined) await this.#sync(this.#writer);
    await this.#endings.ended();
    await this.#segments.save();
  }

  /** Ends the current segment after all appends so far, if the callback returns true. */
  end(isToEnd: (segment: Segment) => boolean = () => true): Promise<void> {
    const last = this.#lastAppend;
    return this.#turns.take(async () => {
      await last;
      await this.#endings.ended();
      if (this.#writer !== undefined && isToEnd(this.#writer.segment)) await this.#endSegment();
    });
  }

  /** Writes events that a file may have lost to a new file, with the same number. */
  async rewrite(lost: Segment, groups: readonly WrittenGroup[]): Promise<Segment> {
    const { baseTime, id, number } = lost;
    // The frames are copied unchanged, and they carry the id.
    const header = new SegmentHeader(groups[0]?.from ?? lost.end, baseTime, id);
    const writer = await this.#createSegment(header, number);
    try {
      for (const group of groups) await writer.rewrite(group);
      await writer.sync();
      await writer.close();
    } catch (error) {
      await writer.close();
      await this.#segments.discard(writer.segment).catch(() => undefined);
      throw error;
    }
    return writer.segment;
  }

  /**
   * Ends an append whose caller still has the events, or wrote them to another file with `appendSync`: releases this copy. If
   * `appendSync` wrote them to this place, they count, and stay. Always rejects.
   */
  async #release(writer: SegmentWriter, group: WrittenGroup, cause: unknown): Promise<never> {
    const { from, to } = group;
    const { end, number: segment } = writer.segment;
    if (from === end) writer.confirm(group);
    if (from >= end) await this.#segments.acknowledge({ segment, from, to }).catch(() => undefined);
    throw cause;
  }

  /** The write that takes a group of so many bytes. It takes what is appended until its turn comes, up to a size. */
  #jointFor(bytes: number): Joint {
    const current = this.#joint;
    if (current && current.bytes + bytes <= WRITE_BYTES) {
      current.bytes += bytes;
      return current;
    }
    const groups: EventBytes[] = [];
    const before = this.#lastAppend;
    const moments = this.#lastMoments;
    const written = this.#turns.take(() => {
      if (this.#joint?.groups === groups) this.#joint = undefined;
      return this.#write(groups, before, moments);
    });
    this.#joint = { groups, bytes, written };
    return this.#joint;
  }

  /**
   * @param before The previous append.
   * @param moments The number of `appendSync` calls when these groups were appended.
   */
  async #write(groups: readonly EventBytes[], before: Promise<void>, moments: number): Joint['written'] {
    this.#tenancy.lookAround();
    for (let isLast = false; ; isLast = true) {
      try {
        await this.#segments.save();
        const writer = await this.#currentWriter(groups[0]?.times?.[0], before);
        if (moments !== this.#lastMoments) throw overtaken();
        return { writer, all: await writer.write(groups) };
      } catch (cause) {
        // After a failure, the file is not trusted with the same events again: they go to a new file.
        await this.#endSegment().catch(() => undefined);
        if (isLast) throw diskError('cannot write events to', this.#site.root, cause);
      }
    }
  }

  async #currentWriter(time: number | undefined, before: Promise<void>): Promise<SegmentWriter> {
    const segmentBytes = segmentSize(this.#site.segmentBytes, this.#tenancy.diskBytes * MOST_OF_DISK);
    const now = this.#site.clock.now();
    const writer = this.#writer;
    if (writer !== undefined) {
      const age = now - this.#writerMadeAt;
      // Ages count from its first event, and not without end.
      const ahead = (time ?? now) - writer.segment.baseTime;
      const isFar = ahead < -60_000 || ahead > MOST_SPREAD_MS;
      if (writer.size < segmentBytes && age >= 0 && age < SEGMENT_AGE_MS && !isFar) return writer;
      // All events of a segment must be confirmed before it ends.
      await before;
      // Not awaited: the next segment can be written while this one ends.
      void this.#endSegment();
    }
    this.#writerMadeAt = now;
    this.#writer = await this.#createSegment(new SegmentHeader(0, time ?? now));
    return this.#writer;
  }

  async #createSegment(header: SegmentHeader, number?: number, isAgain = false): Promise<SegmentWriter> {
    const { fs, fsync } = this.#site;
    const directory = await this.#tenancy.claim();
    const next = this.#segments.next();
    const segment = this.#segments.create(directory, number ?? next, segmentName(next));
    try {
      const writer = await SegmentWriter.create(fs, segment, header, this.#buffers, fsync !== 'never');
      this.#segments.hold(segment);
      return writer;
    } catch (error) {
      this.#segments.abandon(segment);
      if (isAgain || errorCode(error) !== 'ENOENT') throw error;
      // Somebody removed the directory.
      await this.#tenancy.remake();
      return this.#createSegment(header, number, true);
    }
  }

  /** Ends the current segment: from now on it is only read and released, never written. */
  #endSegment(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return Promise.resolve();
    this.#syncAlarm.cancel();
    this.#writer = undefined;
    const ending = this.#finish(writer);
    this.#endings.add(ending);
    return ending;
  }

  async #finish(writer: SegmentWriter): Promise<void> {
    try {
      await this.#sync(writer);
    } finally {
      await writer.close();
    }
    await this.#segments.deleteIfDone(writer.segment);
  }

  #scheduleSync(writer: SegmentWriter): void {
    if (writer.unsyncedBytes >= SYNC_BYTES) this.#syncNow(writer);
    else this.#syncAlarm.set(SYNC_INTERVAL_MS);
  }

  #syncNow(writer: SegmentWriter): void {
    this.#syncAlarm.cancel();
    this.#sync(writer).catch((error) => this.#site.observer?.failed(error));
  }

  /** Makes the events of a segment survive a power cut. If the sync fails, writes them to another file. */
  async #sync(writer: SegmentWriter): Promise<void> {
    try {
      // Without the lock, another process may have taken the file. The sync checks that.
      await this.#tenancy.keep();
      await writer.sync();
    } catch (cause) {
      // All who waited for the failed sync get the same result.
      writer.saved ??= this.#save(writer, cause);
      this.#endings.add(writer.saved);
      await writer.saved;
    }
  }

  async #save(writer: SegmentWriter, cause: unknown): Promise<void> {
    const { root, fsync, observer } = this.#site;
    const { segment } = writer;
    observer?.failed(storageError(`cannot sync ${segment.path}; its last events go to a new file`, cause));
    if (this.#writer === writer) this.#writer = undefined;
    this.#segments.keep(segment, await writer.close());
    try {
      await this.#segments.save();
      await this.#segments.forsake();
    } catch (error) {
      // Each append whose sync failed rejects.
      if (fsync === 'always') await this.#segments.drop(segment);
      throw storageError(`cannot make events in ${root} survive a power cut`, error);
    }
  }
}

function overtaken(): StorageError {
  return new StorageError('the events were written by appendSync()');
}
