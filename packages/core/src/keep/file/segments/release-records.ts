import { storageError } from '../../../base/errors/storage-error.ts';
import type { JournalObserver } from '../../journal.ts';
import { errorCode, writeAll } from '../disk/file-system.ts';
import { Released } from '../format/released.ts';
import type { OpenFiles } from './open-files.ts';
import { inParts } from './scan.ts';

/** Error codes of what is no `.acks` file, and will not become one, and of a bad sector: no event is to wait for that for long. */
const UNREADABLE = /^(ENOENT|ELOOP|EISDIR|ENXIO|ENOTDIR|EACCES|EPERM|EINVAL|EIO)$/;
/** No more bytes count than this many times those of the segment: a record for each event takes half of it. */
const MOST_SHARE = 2;

/** The `.acks` file of a segment. Without its records there are duplicates, but no losses. */
export class ReleaseRecords {
  readonly path: string;
  readonly #files: OpenFiles;
  /** What is not recorded, because that is still to come, or failed. */
  readonly #missing = new Released();
  /** Their size. */
  bytes = 0;

  constructor(path: string, files: OpenFiles) {
    this.path = path;
    this.#files = files;
  }

  /** The next `write` records this. */
  add(from: number, to: number): void {
    this.#missing.add(from, to);
  }

  /** Returns how many bytes it wrote. If it fails, the next call tries again. @param id The id of the segment. */
  async write(id: number): Promise<number> {
    const released = this.#missing.take();
    if (released.length === 0) return 0;
    const records = Released.records(id, released);
    try {
      // If a record is incomplete, the reader skips it, and there may be a duplicate.
      await this.#files.use(this.path, 'append', (file) => writeAll(file, records, 0));
    } catch (error) {
      for (const { from, to } of released) this.#missing.add(from, to);
      throw error;
    }
    this.bytes += records.length;
    return records.length;
  }

  /** Adds all that is recorded of a segment to `released`. Tells of a file that cannot be read. */
  async read(
    { id, end, size }: { readonly id: number; readonly end: number; readonly size: number },
    released: Released,
    observer: Pick<JournalObserver, 'failed'> | undefined,
  ): Promise<void> {
    try {
      await this.#files.use(this.path, 'read', async (file) => {
        this.bytes = Math.min((await file.stat()).size, MOST_SHARE * size);
        await inParts(file, 0, this.bytes, (bytes) => released.addRecords(id, end, bytes));
      });
      // Close it: the next use appends to it.
      await this.#files.close(this.path);
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (!UNREADABLE.test(code) || (code === 'EIO' && this.#files.isPatient(this.path))) throw error;
      if (code !== 'ENOENT')
        observer?.failed(storageError(`cannot read what was delivered in ${this.path}`, error));
    }
  }
}
