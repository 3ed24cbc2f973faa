import type { FileHandle } from 'node:fs/promises';
import { StorageError } from '../../errors/storage-error.ts';
import type { EventBytes } from '../../journal.ts';
import type { FileSystem } from './file-system.ts';
import { framedLength, writeFrames } from './frame.ts';
import { CREATE_FLAGS, FILE_MODE, SEGMENT_HEADER, type Segment } from './segment.ts';

/** Appends to a new segment. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #fs: FileSystem;
  readonly #file: FileHandle;
  /** Kept from write to write. */
  #frames = Buffer.alloc(0);
  #unsynced = 0;

  private constructor(fs: FileSystem, segment: Segment, file: FileHandle) {
    this.#fs = fs;
    this.segment = segment;
    this.#file = file;
  }

  static async create(fs: FileSystem, segment: Segment): Promise<SegmentWriter> {
    const file = await fs.promises.open(segment.path, CREATE_FLAGS, FILE_MODE);
    const writer = new SegmentWriter(fs, segment, file);
    try {
      await writer.#write(SEGMENT_HEADER, 0);
      return writer;
    } catch (error) {
      await file.close().catch(() => undefined);
      await fs.promises.rm(segment.path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Bytes written since the last sync. */
  get unsynced(): number {
    return this.#unsynced;
  }

  /**
   * Appends a group, whole or not at all, and syncs it if asked to. Returns the number of its first event. The group
   * counts only at the very end: until then `appendSync` of the same events writes the same bytes to the same place.
   */
  async append(events: EventBytes, isSynced: boolean): Promise<number> {
    const { segment } = this;
    const length = framedLength(events);
    if (this.#frames.length < length) this.#frames = Buffer.allocUnsafeSlow(Math.max(length, 64 * 1024));
    const frames = this.#frames.subarray(0, length);
    writeFrames(events, segment.count, frames);
    try {
      await this.#write(frames, segment.size);
      if (isSynced) await this.#file.datasync();
    } catch (error) {
      // Works on a full disk too. Where even this fails, the reader finds a frame cut short.
      await this.#file.truncate(segment.size).catch(() => undefined);
      throw error;
    }
    const first = this.#grow(events.ends.length, length);
    if (isSynced) this.#unsynced = 0;
    return first;
  }

  /** As `append`. Where an asynchronous append of the same events is under way, both write the same bytes to one place. */
  appendSync(events: EventBytes): number {
    const frames = Buffer.allocUnsafe(framedLength(events));
    writeFrames(events, this.segment.count, frames);
    writeAllSync(this.#fs, this.#file.fd, frames, this.segment.size);
    return this.#grow(events.ends.length, frames.length);
  }

  /** Resolves once all that is appended survives a power cut. */
  async sync(): Promise<void> {
    const syncing = this.#unsynced;
    if (syncing === 0) return;
    try {
      await this.#file.datasync();
      this.#unsynced -= syncing;
    } catch (error) {
      // The next sync may say that all is well though the data is gone: this file is never synced again.
      this.#unsynced = 0;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.segment.sealed = true;
    await this.#file.close();
  }

  #grow(events: number, bytes: number): number {
    const first = this.segment.count;
    this.segment.count += events;
    this.segment.size += bytes;
    this.#unsynced += bytes;
    return first;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(
        bytes,
        written,
        bytes.length - written,
        position + written,
      );
      if (bytesWritten === 0) throw new StorageError(`the disk took ${written} of ${bytes.length} bytes`);
      written += bytesWritten;
    }
  }
}

/** Writes a segment of its own at once, for the last moment of a process that has none open. */
export function writeSegmentSync(fs: FileSystem, path: string, events: EventBytes): void {
  const frames = Buffer.allocUnsafe(framedLength(events));
  writeFrames(events, 0, frames);
  const file = fs.openSync(path, CREATE_FLAGS, FILE_MODE);
  try {
    writeAllSync(fs, file, Buffer.concat([SEGMENT_HEADER, frames]), 0);
  } finally {
    fs.closeSync(file);
  }
}

function writeAllSync(fs: FileSystem, file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}
