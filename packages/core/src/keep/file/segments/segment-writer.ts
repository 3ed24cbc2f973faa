import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { EventBytes } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import { type FileSystem, type OpenFile, writeAll, writeAllSync } from '../disk/file-system.ts';
import { framedLength, framesOf, type WrittenGroup } from '../format/frame.ts';
import { SegmentHeader } from '../format/segment-header.ts';
import type { Segment } from './segment.ts';

const LEAST_BYTES = 64 * 1024;
/** Enough for several groups in progress, and for those of the last megabyte that wait for their sync. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** Appends to a new segment. The segment counts a group only once it is confirmed. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #file: OpenFile;
  readonly #buffers: FrameBuffers;
  /** Resolves once the name of the file survives a power cut. Undefined if the file is never synced: then no frames are kept. */
  readonly #named: Promise<void> | undefined;
  /** Size of the file, in bytes: the next group goes there. */
  size: number = SegmentHeader.BYTES;
  #unsynced: WrittenGroup[] = [];
  unsyncedBytes = 0;
  /** The write in progress. It may still reach the file after the process has ended. */
  #inFlight:
    | { readonly frames: Buffer; readonly position: number; readonly ended: Promise<void> }
    | undefined;
  /** The sync in progress, or the one that failed. */
  #syncing: Promise<void> | undefined;
  /** The sync that follows the current one, for what was written since that started. */
  #nextSync: Promise<void> | undefined;
  /** Why `appendSync` could not sync: another sync might succeed although the data is gone. */
  #failed: StorageError | undefined;
  #closed = false;
  /** Set after a failed sync: settles once the unsynced events are in another file, or cannot be. */
  saved: Promise<void> | undefined;

  private constructor(
    segment: Segment,
    file: OpenFile,
    buffers: FrameBuffers,
    named: Promise<void> | undefined,
  ) {
    this.segment = segment;
    this.#file = file;
    this.#buffers = buffers;
    this.#named = named;
  }

  /** @param isSynced Whether the segment will ever be synced. */
  static async create(
    fs: FileSystem,
    segment: Segment,
    header: SegmentHeader,
    buffers: FrameBuffers,
    isSynced: boolean,
  ): Promise<SegmentWriter> {
    const file = await fs.create(segment.path);
    try {
      await writeAll(file, header.bytes, 0);
    } catch (error) {
      await file.close().catch(() => undefined);
      await fs.remove(segment.path).catch(() => undefined);
      throw error;
    }
    segment.begin(header);
    // Runs while the first events are written. Their sync waits for it.
    const named = isSynced ? fs.syncDirectory(segment.directory) : undefined;
    named?.catch(() => undefined);
    return new SegmentWriter(segment, file, buffers, named);
  }

  /**
   * Writes groups with one call to the system, all or nothing. Only one call at a time. Until a group is confirmed, `appendSync` of the
   * same events writes the same bytes to the same place.
   */
  async write(groups: readonly EventBytes[]): Promise<readonly WrittenGroup[]> {
    const buffer = this.#buffers.take(groups.reduce((total, events) => total + framedLength(events), 0));
    const written: WrittenGroup[] = [];
    let offset = 0;
    let from = this.segment.written;
    for (const events of groups) {
      const frames = framesOf(events, from, this.segment, buffer.subarray(offset));
      const to = from + events.ends.length;
      offset += frames.length;
      written.push({ from, to, frames, buffer: written.length + 1 === groups.length ? buffer : undefined });
      from = to;
    }
    await this.#writeFrames(buffer.subarray(0, offset), from, written);
    return written;
  }

  /** Writes a group that another file may have lost, and confirms it. Its memory may still be read, and is not used again. */
  async rewrite(group: WrittenGroup): Promise<void> {
    await this.#writeFrames(group.frames, group.to, [{ ...group, buffer: undefined }]);
    this.confirm(group);
  }

  /** Makes a group count. To be called in the order in which the groups were written. */
  confirm({ to, frames }: WrittenGroup): void {
    // `appendSync` has written and counted this group.
    if (to <= this.segment.end) return;
    this.segment.grow(to, frames.length);
  }

  /**
   * Like `write`, but synchronous, after the last confirmed event. The events count when this returns. Returns their
   * range; undefined if a write in progress has other bytes for that place, the file is not to be trusted any more, or it is gone.
   */
  appendSync(events: EventBytes): Range | undefined {
    const { segment } = this;
    const from = segment.end;
    const to = from + events.ends.length;
    const frames = framesOf(events, from, segment);
    const isGone = this.#file.isInPlaceSync?.() === false;
    if (isGone || this.#failed || this.#collides(frames, segment.size)) return undefined;
    writeAllSync(this.#file, frames, segment.size);
    if (this.#named) this.#syncAtOnce({ from, to, frames });
    segment.grow(to, frames.length);
    segment.written = segment.end;
    this.size = segment.size;
    return { segment: segment.number, from, to };
  }

  /**
   * Resolves once all written groups survive a power cut. All calls during a sync share the next one. After a failed sync,
   * every later call fails: another sync might succeed although the data is gone.
   */
  sync(): Promise<void> {
    if (this.#syncing === undefined) return this.#startSync();
    this.#nextSync ??= this.#syncing.then(() => {
      this.#nextSync = undefined;
      return this.#startSync();
    });
    return this.#nextSync;
  }

  /** Closes the file. Returns the groups that were written but not synced. */
  async close(): Promise<readonly WrittenGroup[]> {
    this.#closed = true;
    // Wait for all calls in progress: once the file is closed, its number may belong to another file.
    await Promise.allSettled([this.#inFlight?.ended, this.#syncing, this.#named]);
    this.segment.sealed = true;
    const unsynced = this.#unsynced.splice(0);
    // The caller of `appendSync` still has what could not be synced.
    if (this.#failed) await this.#cut(this.size).catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    return unsynced;
  }

  async #writeFrames(frames: Buffer, to: number, groups: readonly WrittenGroup[]): Promise<void> {
    const position = this.size;
    const writing = this.#write(frames, position).finally(() => {
      this.#inFlight = undefined;
    });
    this.#inFlight = { frames, position, ended: writing };
    await writing;
    const { written } = this.segment;
    // `appendSync` has written these groups again, and all that came after them.
    if (to <= written) return;
    this.segment.written = to;
    this.size = position + frames.length;
    if (this.#named) {
      // Or only the first of them.
      this.#unsynced.push(...groups.filter(({ from }) => from >= written));
      this.unsyncedBytes += frames.length;
    } else this.#giveBack(groups);
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    if (this.#closed) throw new StorageError('the segment is closed');
    if (this.#failed) throw this.#failed;
    try {
      await writeAll(this.#file, bytes, position);
    } catch (error) {
      // This works on a full disk too. If it fails, the reader finds an incomplete frame.
      if (this.segment.size <= position) await this.#cut(position).catch(() => undefined);
      throw error;
    }
  }

  async #cut(size: number): Promise<void> {
    // To truncate a file that is shorter makes it longer.
    if ((await this.#file.stat()).size > size) await this.#file.truncate(size);
  }

  /** Whether the write in progress has other bytes than these for the same place. */
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
    if (this.#failed) throw this.#failed;
    const unsynced = this.#unsynced;
    const count = unsynced.length;
    if (count > 0) {
      await this.#file.sync();
      await this.#named;
    }
    if (this.#failed) throw this.#failed;
    const position = this.size;
    const { isInPlace, size } = await this.#file.stat();
    if (!isInPlace)
      throw new StorageError('somebody removed, moved or replaced the file, or a directory above it');
    if (size < position)
      throw new StorageError('somebody cut the file, or copied a shorter one over it, as from a backup');
    // Otherwise `appendSync` has begun another list, which may have the same groups.
    if (unsynced !== this.#unsynced) return;
    const synced = unsynced.splice(0, count);
    for (const { frames } of synced) this.unsyncedBytes -= frames.length;
    this.#giveBack(synced);
  }

  /** Syncs a group of `appendSync`. A sync in progress may still fail: the group then goes to another file with those before it. */
  #syncAtOnce(group: WrittenGroup): void {
    try {
      this.#file.syncSync();
    } catch (cause) {
      this.#failed = storageError(`cannot sync ${this.segment.path}`, cause);
      throw this.#failed;
    }
    this.#unsynced = [...this.#unsynced.filter(({ to }) => to <= group.from), group];
    this.unsyncedBytes = this.#unsynced.reduce((sum, { frames }) => sum + frames.length, 0);
  }

  #giveBack(groups: readonly WrittenGroup[]): void {
    for (const { buffer } of groups) if (buffer) this.#buffers.give(buffer);
  }
}

/** Reusable memory for frames. */
export class FrameBuffers {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  /** Memory of at least this length. */
  take(length: number): Buffer {
    const index = this.#kept.findIndex((buffer) => buffer.length >= length);
    const [buffer] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(roundedUp(length));
    this.#keptBytes -= buffer.length;
    return buffer;
  }

  give(buffer: Buffer): void {
    this.#keptBytes += buffer.length;
    this.#kept.push(buffer);
    while (this.#keptBytes > MOST_KEPT_BYTES) this.#keptBytes -= this.#kept.shift()?.length ?? 0;
  }
}

/**
 * Rounds up to a power of two, at least LEAST_BYTES, so that a kept buffer also fits slightly larger groups. Pages that are
 * never used take no memory.
 */
function roundedUp(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(length, LEAST_BYTES)));
}
