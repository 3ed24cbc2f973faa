import { Turns } from '../../../base/turns.ts';
import { errorCode, type FileSystem, type OpenFile } from '../disk/file-system.ts';

/** Error codes for too many open files in the process or on the machine. */
const TOO_MANY = new Set(['EMFILE', 'ENFILE']);

interface Entry {
  readonly file: Promise<OpenFile>;
  users: number;
}

/** Keeps recently used files open, so that many small operations on one file do not open it each time. */
export class OpenFiles {
  readonly #fs: FileSystem;
  #most: number;
  /** In order of use, the most recent last. */
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Turns();

  /** @param most How many files to keep open. Files in use may exceed it. */
  constructor(fs: FileSystem, most: number) {
    this.#fs = fs;
    this.#most = most;
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

  /** Closes a file that is about to be renamed or removed. */
  async close(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    // If the file is in use, its last user closes it.
    if (entry?.users === 0) await this.#close(entry);
  }

  /** Closes all files. A file that is used from now on is closed when its last user is done. */
  async closeAll(): Promise<void> {
    this.#most = 0;
    for (const path of [...this.#entries.keys()]) void this.close(path);
    // Also wait for files that were closed just before, to make room for others.
    await this.#closing.ended();
  }

  #close(entry: Entry): Promise<void> {
    // A failed close loses nothing: the file was only read, or is never synced.
    const closing = entry.file.then((file) => file.close()).catch(() => undefined);
    this.#closing.add(closing);
    return closing;
  }

  async #open(path: string, purpose: 'read' | 'append'): Promise<OpenFile> {
    const open = () => (purpose === 'read' ? this.#fs.openToRead(path) : this.#fs.openToAppend(path));
    try {
      return await open();
    } catch (error) {
      if (!TOO_MANY.has(errorCode(error) ?? '')) throw error;
      await this.#closeIdle(0);
      return open();
    }
  }

  async #closeIdle(most: number): Promise<void> {
    for (const [path, entry] of this.#entries) {
      if (this.#entries.size <= most) return;
      if (entry.users === 0) await this.close(path);
    }
  }
}
