import { join } from 'node:path';
import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../../../base/alarm.ts';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { EventBytes } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import type { Fsync } from '../../fsync.ts';
import { diskError } from '../disk/disk-error.ts';
import { errorCode, type FileSystem } from '../disk/file-system.ts';
import { writeFileSync } from '../disk/write-all.ts';
import { framedLength } from '../format/frame.ts';
import { FrameBuffers } from '../format/frame-buffers.ts';
import { newHeader, type SegmentHeader } from '../format/segment-header.ts';
import { SEGMENT_SUFFIX } from '../format/suffixes.ts';
import { MOST_OF_DISK, segmentSize, WRITE_BYTES } from '../segment-size.ts';
import type { Tenancy } from '../slots/tenancy.ts';
import type { Segment } from './segment.ts';
import { SegmentWriter, type WrittenGroup, wholeSegment } from './segment-writer.ts';
import type { Segments } from './segments.ts';

/** After this time a new segment starts, so that the old one can be deleted once its events are delivered. */
const SEGMENT_AGE_MS = 60 * 60_000;
const SYNC_INTERVAL_MS = 100;
const SYNC_BYTES = 1024 * 1024;

interface AppenderOptions {
  readonly root: string;
  readonly fs: FileSystem;
  readonly fsync: Fsync;
  readonly clock: Clock;
  readonly segmentBytes: number;
  readonly tenancy: Tenancy;
  readonly segments: Segments;
  readonly onFailed: (error: Error) => void;
}

/** Groups that are to be written with one call, and the result of that. */
interface Joint {
  readonly groups: EventBytes[];
  readonly written: Promise<{ readonly writer: SegmentWriter; readonly all: readonly WrittenGroup[] }>;
}

/** Writes groups to the current segment, one after the other. While it syncs one group, it writes the next. */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #buffers = new FrameBuffers();
  #writer: SegmentWriter | undefined;
  /** What the next write takes. */
  #joint: Joint | undefined;
  #jointBytes = 0;
  readonly #turns = new Turns();
  /** Settles once the most recent append has ended. */
  #lastAppend: Promise<void> = Promise.resolve();
  /** Rings when what was written is to be synced: in the current segment, which may be another one by then. */
  readonly #syncAlarm: Alarm;
  /** Number of `appendSync` calls. */
  #lastMoments = 0;
  /** Ends of segments, and what saves events after a failed sync. */
  readonly #endings = new Turns();

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#syncAlarm = new Alarm(options.clock, () => this.#writer && this.#syncNow(this.#writer));
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
      const { fsync, segments } = this.#options;
      if (fsync === 'always') await this.#sync(writer).catch((cause) => this.#release(writer, group, cause));
      if (fsync === 'interval') this.#scheduleSync(writer);
      if (moments !== this.#lastMoments) await this.#release(writer, group, overtaken());
      const range = { segment: writer.segment.number, from: group.from, to: group.to };
      // The sync of other events had made these durable, when a later look found the file gone: they were not told of.
      if (segments.hasLost(range)) await this.#release(writer, group, new StorageError('the file is gone'));
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
    const { fs, fsync, segments, tenancy } = this.#options;
    const count = events.ends.length;
    this.#lastMoments += 1;
    this.#joint = undefined;
    const from = this.#writer?.appendSync(events);
    if (this.#writer !== undefined && from !== undefined)
      return { segment: this.#writer.segment.number, from, to: from + count };
    const next = segments.next();
    const header = newHeader(0, events.times?.[0] ?? this.#options.clock.now());
    const directory = tenancy.writeSync((place) => {
      const path = join(place, next.name + SEGMENT_SUFFIX);
      writeFileSync(fs, path, wholeSegment(header, events), fsync !== 'never');
    });
    // If the process survives a signal, the journal must find and release these events.
    const segment = segments.create(directory, next);
    segment.begin(header);
    segment.grow(count, framedLength(events));
    segment.sealed = true;
    segments.hold(segment);
    return { segment: segment.number, from: 0, to: count };
  }

  /** Makes all appended events survive a power cut. */
  async sync(): Promise<void> {
    if (this.#writer !== undefined) await this.#sync(this.#writer);
    await this.#endings.ended();
    await this.#options.segments.salvage.run();
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

  /** Writes events that a file may have lost to a new file. */
  async rewrite(lost: Segment, groups: readonly WrittenGroup[]): Promise<Segment> {
    const { baseTime, id } = lost;
    // The frames are copied unchanged, and they carry the id.
    const writer = await this.#createSegment({ first: groups[0]?.from ?? lost.end, baseTime, id });
    try {
      for (const group of groups) writer.confirm(await writer.rewrite(group));
      await writer.sync();
      await writer.close();
    } catch (error) {
      await writer.close();
      await this.#options.segments.discard(writer.segment).catch(() => undefined);
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
    if (from >= end) await this.#options.segments.acknowledge({ segment, from, to }).catch(() => undefined);
    throw cause;
  }

  /** The write that takes a group of so many bytes. It takes what is appended until its turn comes, up to a size. */
  #jointFor(bytes: number): Joint {
    this.#jointBytes += bytes;
    if (this.#joint && this.#jointBytes <= WRITE_BYTES) return this.#joint;
    this.#jointBytes = bytes;
    const groups: EventBytes[] = [];
    const before = this.#lastAppend;
    const moments = this.#lastMoments;
    const written = this.#turns.take(() => {
      if (this.#joint?.groups === groups) this.#joint = undefined;
      return this.#write(groups, before, moments);
    });
    this.#joint = { groups, written };
    return this.#joint;
  }

  /**
   * @param before The previous append.
   * @param moments The number of `appendSync` calls when these groups were appended. If it has grown, `appendSync` has written
   *   the events.
   */
  async #write(groups: readonly EventBytes[], before: Promise<void>, moments: number): Joint['written'] {
    const { root, segments, tenancy } = this.#options;
    tenancy.lookAround();
    for (let isLast = false; ; isLast = true) {
      try {
        await segments.salvage.run();
        const writer = await this.#currentWriter(groups[0]?.times?.[0], before);
        if (moments !== this.#lastMoments) throw overtaken();
        return { writer, all: await writer.write(groups) };
      } catch (cause) {
        // After a failure, the file is not trusted with the same events again: they go to a new file.
        await this.#endSegment().catch(() => undefined);
        if (isLast) throw diskError('cannot write events to', root, cause);
      }
    }
  }

  async #currentWriter(time: number | undefined, before: Promise<void>): Promise<SegmentWriter> {
    const { clock, tenancy } = this.#options;
    const segmentBytes = segmentSize(this.#options.segmentBytes, tenancy.diskBytes * MOST_OF_DISK);
    const now = clock.now();
    const writer = this.#writer;
    if (writer !== undefined) {
      const age = now - writer.segment.baseTime;
      if (writer.size < segmentBytes && age >= 0 && age < SEGMENT_AGE_MS) return writer;
      // All events of a segment must be confirmed before it ends.
      await before;
      // Not awaited: the next segment can be written while this one ends.
      void this.#endSegment();
    }
    this.#writer = await this.#createSegment(newHeader(0, time ?? now));
    return this.#writer;
  }

  async #createSegment(header: SegmentHeader): Promise<SegmentWriter> {
    const { fs, fsync, segments, tenancy } = this.#options;
    const create = async () => {
      const segment = segments.create(await tenancy.claim());
      const writer = await SegmentWriter.create(fs, segment, header, this.#buffers, fsync !== 'never');
      segments.hold(segment);
      return writer;
    };
    try {
      return await create();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Somebody removed the directory.
      await tenancy.remake();
      return create();
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
    await this.#options.segments.deleteIfDone(writer.segment);
  }

  #scheduleSync(writer: SegmentWriter): void {
    if (writer.unsyncedBytes >= SYNC_BYTES) this.#syncNow(writer);
    else this.#syncAlarm.set(SYNC_INTERVAL_MS);
  }

  #syncNow(writer: SegmentWriter): void {
    this.#syncAlarm.cancel();
    this.#sync(writer).catch(this.#options.onFailed);
  }

  /** Makes the events of a segment survive a power cut. If the sync fails, writes them to another file. */
  async #sync(writer: SegmentWriter): Promise<void> {
    try {
      // Without the lock, another process may have taken the file. The sync looks whether it has.
      await this.#options.tenancy.keep();
      await writer.sync();
    } catch (cause) {
      // All who waited for the failed sync get the same result.
      writer.saved ??= this.#save(writer, cause);
      this.#endings.add(writer.saved);
      await writer.saved;
    }
  }

  async #save(writer: SegmentWriter, cause: unknown): Promise<void> {
    const { root, fsync, segments, onFailed } = this.#options;
    const { segment } = writer;
    onFailed(storageError(`cannot sync ${segment.path}; its last events go to a new file`, cause));
    if (this.#writer === writer) this.#writer = undefined;
    segments.salvage.keep(segment, await writer.close());
    try {
      await segments.salvage.run();
      await segments.forsake(segment.directory);
    } catch (error) {
      // Each append whose sync failed rejects.
      if (fsync === 'always') await segments.salvage.drop(segment.number);
      throw storageError(`cannot make events in ${root} survive a power cut`, error);
    }
  }
}

function overtaken(): StorageError {
  return new StorageError('the events were written by appendSync()');
}
