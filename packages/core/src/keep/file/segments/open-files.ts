import type { Clock } from '@sluice/protocol/toolbox';
import { Turns } from '../../../base/turns.ts';
import { errorCode, type FileSystem, type OpenFile } from '../disk/file-system.ts';
import { SEGMENT_SUFFIX } from '../format/segment-header.ts';

/** Error codes for too many open files in the process or on the machine. */
const TOO_MANY = new Set(['EMFILE', 'ENFILE']);

/** A sector that cannot be read for so long is given up, if others can. */
const READ_AROUND_MS = 60_000;
/** Or, in a segment, if all those that are read at once cannot. */
const READ_NOTHING_MS = 60 * 60_000;
const SECTOR_BYTES = 4096;
/** In the place of a sector: the file cannot be opened, or not be read. */
const WHOLE = -SECTOR_BYTES;
/** Not zero: a file of zeros counts as empty, and is deleted. */
const UNREADABLE = 0xff;

interface Entry {
  readonly file: Promise<OpenFile>;
  users: number;
}

/** The bytes of a file after the last read that are already in memory. */
interface ReadAhead {
  /** The reader of the file. */
  readonly owner: object;
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Reusable memory for reads: to allocate large blocks again and again costs more than the reads. The result of the last read
 * stays unchanged until another read has ended: when that one starts, the first caller may not have used its result yet.
 */
class ReadingBuffer {
  #last: Buffer | undefined;
  #ahead: ReadAhead | undefined;
  #spare: Buffer | undefined;

  /** Memory of at least this length. A concurrent read gets its own. */
  take(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length);
  }

  /** The last buffer, with its bytes that were read ahead, from this offset of this owner's file on. Undefined if there are none. */
  takeAhead(owner: object, offset: number): { buffer: Buffer; bytes: Buffer } | undefined {
    const ahead = this.#ahead;
    const buffer = this.#last;
    if (buffer === undefined || ahead?.owner !== owner) return undefined;
    const skipped = offset - ahead.offset;
    if (skipped < 0 || skipped >= ahead.bytes.length) return undefined;
    this.#last = undefined;
    this.#ahead = undefined;
    return { buffer, bytes: ahead.bytes.subarray(skipped) };
  }

  /** @param ahead The bytes in the buffer that are not used yet. */
  give(buffer: Buffer, ahead?: ReadAhead): void {
    this.#spare = this.#last ?? this.#spare;
    this.#last = buffer;
    this.#ahead = ahead;
  }
}

/** Keeps recently used files open, so that many small operations on one file do not open it each time. */
export class OpenFiles {
  /** For those who read segments. */
  readonly memory: ReadingBuffer = new ReadingBuffer();
  readonly #fs: FileSystem;
  #most: number;
  /** In order of use, the most recent last. */
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Turns();
  readonly #clock: Clock | undefined;
  /** By path and the position of a sector: since when it cannot be read. */
  readonly #faults = new Map<string, Map<number, number>>();

  /**
   * @param most How many files to keep open. Files in use may exceed it.
   * @param clock Absent if sectors that cannot be read are never read around.
   */
  constructor(fs: FileSystem, most: number, clock?: Clock) {
    this.#fs = fs;
    this.#most = most;
    this.#clock = clock;
  }

  /** Whether a file that failed with EIO is worth another try. */
  isPatient(path: string): boolean {
    if (this.#clock === undefined) return false;
    this.#failedFor(path, WHOLE);
    // The newest fault counts: a sector may be met only once those before it are read around.
    const newest = Math.max(...(this.#faults.get(path)?.values() ?? []));
    return this.#clock.now() - newest < READ_AROUND_MS;
  }

  /** Runs an operation on a file. If it fails, the next use opens the file again. */
  async use<Result>(
    path: string,
    purpose: 'read' | 'append',
    operation: (file: OpenFile) => Promise<Result>,
  ): Promise<Result> {
    const entry = this.#entries.get(path) ?? { file: this.#open(path, purpose), users: 0 };
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    entry.users += 1;
    try {
      return await operation(await entry.file);
    } catch (error) {
      if (this.#entries.get(path) === entry) this.#entries.delete(path);
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.users === 0 && this.#entries.get(path) !== entry) await this.#close(entry);
      await this.#closeIdle(this.#most);
    }
  }

  /** Closes a file that is about to be renamed or removed, or has another reader or writer from now on. */
  async close(path: string): Promise<void> {
    this.#faults.delete(path);
    await this.#letGo(path);
  }

  /** Closes all files. A file that is used from now on is closed when its last user is done. */
  async closeAll(): Promise<void> {
    this.#most = 0;
    for (const path of [...this.#entries.keys()]) void this.close(path);
    // Also wait for files that were closed just before, to make room for others.
    await this.#closing.ended();
  }

  async #letGo(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    // If the file is in use, its last user closes it.
    if (entry?.users === 0) await this.#close(entry);
  }

  #close(entry: Entry): Promise<void> {
    // A failed close loses nothing: the file was only read, or is never synced.
    const closing = entry.file.then((file) => file.close()).catch(() => undefined);
    this.#closing.add(closing);
    return closing;
  }

  async #open(path: string, purpose: 'read' | 'append'): Promise<OpenFile> {
    const open = () => (purpose === 'read' ? this.#openToRead(path) : this.#fs.openToAppend(path));
    try {
      return await open();
    } catch (error) {
      if (!TOO_MANY.has(errorCode(error) ?? '')) throw error;
      await this.#closeIdle(0);
      return open();
    }
  }

  /** If sectors of the file cannot be read for a while, other bytes take their place: what was there counts as damaged. */
  async #openToRead(path: string): Promise<OpenFile> {
    const file = await this.#fs.openToRead(path);
    if (this.#clock === undefined) return file;
    return {
      read: async (target, position) => {
        try {
          const count = await file.read(target, position);
          this.#wasRead(path, position, count);
          return count;
        } catch (error) {
          if (errorCode(error) !== 'EIO') throw error;
          return this.#readAround(path, file, target, position);
        }
      },
      write: (bytes, position) => file.write(bytes, position),
      writeSync: (bytes, position) => file.writeSync(bytes, position),
      sync: () => file.sync(),
      syncSync: () => file.syncSync(),
      truncate: (size) => file.truncate(size),
      stat: () => file.stat(),
      close: () => file.close(),
    };
  }

  async #readAround(path: string, file: OpenFile, target: Uint8Array, start: number) {
    let total = 0;
    let good = 0;
    let failed: unknown;
    let failedForMs = Number.POSITIVE_INFINITY;
    while (total < target.length) {
      const position = start + total;
      const sector = position - (position % SECTOR_BYTES);
      const piece = target.subarray(total, sector + SECTOR_BYTES - start);
      try {
        const count = await file.read(piece, position);
        this.#wasRead(path, position, count);
        good += count;
        if (count < piece.length) {
          total += count;
          break;
        }
      } catch (error) {
        if (errorCode(error) !== 'EIO') throw error;
        failed = error;
        failedForMs = Math.min(failedForMs, this.#failedFor(path, sector));
        piece.fill(UNREADABLE);
      }
      total += piece.length;
    }
    // If nothing can be read, perhaps the disk is away.
    const isAway = good === 0 && path.endsWith(SEGMENT_SUFFIX);
    if (failedForMs < (isAway ? READ_NOTHING_MS : READ_AROUND_MS)) throw failed;
    return total;
  }

  #wasRead(path: string, position: number, count: number): void {
    const sectors = this.#faults.get(path);
    for (const sector of sectors?.keys() ?? [])
      if (position < sector + SECTOR_BYTES && sector < position + count) sectors?.delete(sector);
  }

  /** For how long a sector could not be read, which failed now. */
  #failedFor(path: string, sector: number): number {
    const now = this.#clock?.now() ?? 0;
    const sectors = this.#faults.get(path) ?? new Map<number, number>();
    const since = Math.min(sectors.get(sector) ?? now, now);
    this.#faults.set(path, sectors.set(sector, since));
    return now - since;
  }

  async #closeIdle(most: number): Promise<void> {
    for (const [path, entry] of this.#entries) {
      if (this.#entries.size <= most) return;
      if (entry.users === 0) await this.#letGo(path);
    }
  }
}
