import { StorageError } from '../../../base/errors/storage-error.ts';
import type { EventBytes } from '../../../base/event-bytes.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import { writeAll, writeAllSync } from '../disk/write-all.ts';
import { framedLength, writeFrames } from '../format/frame.ts';
import type { FrameBuffers } from '../format/frame-buffers.ts';
import { SEGMENT_HEADER_BYTES, type SegmentHeader, writeHeader } from '../format/segment-header.ts';
import type { Segment } from './segment.ts';

/** Events that were written together. Their frames are kept until they are synced: a disk that fails may lose them. */
export interface WrittenGroup {
  readonly from: number;
  readonly to: number;
  readonly frames: Buffer;
  readonly buffer: Buffer;
}

/** Appends to a new segment. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #file: OpenFile;
  readonly #buffers: FrameBuffers;
  readonly #isSynced: boolean;
  /** Resolves once the name of the file survives a power cut. */
  readonly #named: Promise<void>;
  /** Where the next group goes; the segment itself knows of it once the group counts. */
  #next: number;
  #position = SEGMENT_HEADER_BYTES;
  #unsynced: WrittenGroup[] = [];
  #unsyncedBytes = 0;
  #writing: Promise<unknown> = Promise.resolve();
  /** What is being written, and where: it may still come to lie there when the process has ended. */
  #inFlight: { readonly frames: Buffer; readonly position: number } | undefined;
  #syncing: Promise<void> | undefined;
  /** The sync that covers what was written since the one under way began. */
  #nextSync: Promise<void> | undefined;
  #closed = false;

  private constructor(
    segment: Segment,
    file: OpenFile,
    buffers: FrameBuffers,
    isSynced: boolean,
    named: Promise<void>,
  ) {
    this.segment = segment;
    this.#named = named;
    this.#file = file;
    this.#buffers = buffers;
    this.#isSynced = isSynced;
    this.#next = segment.end;
  }

  /** @param isSynced Whether it will ever be synced: only then frames have to be kept. */
  static async create(
    fs: FileSystem,
    segment: Segment,
    header: SegmentHeader,
    buffers: FrameBuffers,
    isSynced: boolean,
  ): Promise<SegmentWriter> {
    const file = await fs.create(segment.path);
    try {
      await writeAll(file, writeHeader(header), 0);
    } catch (error) {
      await file.close().catch(() => undefined);
      await fs.remove(segment.path).catch(() => undefined);
      throw error;
    }
    segment.begin(header);
    // While the first events are written; who syncs these waits for it.
    const named = isSynced ? fs.syncDirectory(segment.directory) : Promise.resolve();
    named.catch(() => undefined);
    return new SegmentWriter(segment, file, buffers, isSynced, named);
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#position;
  }

  get unsyncedBytes(): number {
    return this.#unsyncedBytes;
  }

  /**
   * Writes a group, whole or not at all; one call at a time. It counts once it is confirmed: until then `appendSync` of the
   * same events writes the same bytes to the same place.
   */
  write(events: EventBytes): Promise<WrittenGroup> {
    const length = framedLength(events);
    const buffer = this.#buffers.take(length);
    const frames = buffer.subarray(0, length);
    writeFrames(events, this.#next, this.segment, frames);
    const from = this.#next;
    return this.#writeGroup({ from, to: from + events.ends.length, frames, buffer });
  }

  /** Writes a group again that another file may have lost. */
  rewrite(group: WrittenGroup): Promise<WrittenGroup> {
    return this.#writeGroup(group);
  }

  /** A group counts from now on. In the order in which they were written. */
  confirm({ from, to, frames }: WrittenGroup): void {
    // Written again at the last moment, and counted.
    if (to <= this.segment.end) return;
    this.segment.mark(from, this.segment.size);
    this.segment.grow(to, frames.length);
  }

  /**
   * As `write`, at once, from the first event on that is not confirmed; it counts when this returns. Undefined where a
   * write under way has other bytes for that place.
   */
  appendSync(events: EventBytes): number | undefined {
    const { segment } = this;
    const frames = Buffer.allocUnsafe(framedLength(events));
    const from = segment.end;
    writeFrames(events, from, segment, frames);
    if (this.#collides(frames, segment.size)) return undefined;
    writeAllSync(this.#file, frames, segment.size);
    if (this.#isSynced) this.#file.syncSync();
    segment.grow(from + events.ends.length, frames.length);
    this.#next = segment.end;
    this.#position = segment.size;
    return from;
  }

  /**
   * Resolves once all that is written survives a power cut. One sync serves all who ask while another is under way. Once it
   * has failed it fails for ever: the next one may say that all is well though the data is gone.
   */
  sync(): Promise<void> {
    if (this.#syncing === undefined) return this.#startSync();
    this.#nextSync ??= this.#syncing.then(() => {
      this.#nextSync = undefined;
      return this.#startSync();
    });
    return this.#nextSync;
  }

  /** Ends it. Returns what it wrote and did not sync. */
  async close(): Promise<readonly WrittenGroup[]> {
    this.#closed = true;
    // Nothing is under way when this resolves; a file that is closed under a call may be another one by then.
    await Promise.allSettled([this.#writing, this.#syncing, this.#named]);
    this.segment.sealed = true;
    const unsynced = this.#unsynced.splice(0);
    await this.#file.close().catch(() => undefined);
    return unsynced;
  }

  async #writeGroup(group: WrittenGroup): Promise<WrittenGroup> {
    const position = this.#position;
    this.#inFlight = { frames: group.frames, position };
    const writing = this.#write(group.frames, position).finally(() => {
      this.#inFlight = undefined;
    });
    this.#writing = writing.catch(() => undefined);
    await writing;
    // At the last moment it was written again, with all that came after it.
    if (group.to <= this.#next) return group;
    this.#next = group.to;
    this.#position = position + group.frames.length;
    if (this.#isSynced) {
      this.#unsynced.push(group);
      this.#unsyncedBytes += group.frames.length;
    } else {
      this.#buffers.give(group.buffer);
    }
    return group;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    if (this.#closed) throw new StorageError('the segment is closed');
    try {
      await writeAll(this.#file, bytes, position);
    } catch (error) {
      // Works on a full disk too. Where even this fails, the reader finds a frame cut short.
      if (this.segment.size <= position) await this.#file.truncate(position).catch(() => undefined);
      throw error;
    }
  }

  #collides(frames: Buffer, position: number): boolean {
    if (this.#inFlight === undefined) return false;
    const offset = this.#inFlight.position - position;
    const end = Math.min(frames.length, offset + this.#inFlight.frames.length);
    if (end <= Math.max(0, offset)) return false;
    return (
      offset < 0 || !this.#inFlight.frames.subarray(0, end - offset).equals(frames.subarray(offset, end))
    );
  }

  #startSync(): Promise<void> {
    const syncing = this.#syncNow();
    this.#syncing = syncing;
    const forget = () => {
      this.#syncing = undefined;
    };
    syncing.then(forget, () => undefined);
    return syncing;
  }

  async #syncNow(): Promise<void> {
    const count = this.#unsynced.length;
    if (count === 0) return;
    await this.#file.sync();
    await this.#named;
    if (!(await this.#file.stat()).isLinked) throw new StorageError('somebody removed the file');
    for (const { frames, buffer } of this.#unsynced.splice(0, count)) {
      this.#unsyncedBytes -= frames.length;
      this.#buffers.give(buffer);
    }
  }
}

/** Writes a segment of its own at once, for the last moment of a process that has none open. */
export function writeSegmentSync(
  fs: FileSystem,
  path: string,
  header: SegmentHeader,
  events: EventBytes,
  isSynced: boolean,
): void {
  const frames = Buffer.allocUnsafe(framedLength(events));
  writeFrames(events, header.first, header, frames);
  const file = fs.createSync(path);
  try {
    writeAllSync(file, Buffer.concat([writeHeader(header), frames]), 0);
    if (isSynced) file.syncSync();
  } finally {
    file.closeSync();
  }
}
