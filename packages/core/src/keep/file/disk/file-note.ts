import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storageError } from '../../../base/errors/storage-error.ts';
import type { Note } from '../../note.ts';
import { errorCode } from './file-system.ts';

/** A note in its own file, replaced as a whole. If two processes change it at the same time, one change is lost. */
export class FileNote implements Note {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return undefined;
      throw storageError(`cannot read ${this.#path}`, cause);
    }
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    const text = await this.read();
    const changed = next(text);
    if (changed === text) return;
    try {
      await this.#write(changed);
    } catch (cause) {
      throw storageError(`cannot write ${this.#path}`, cause);
    }
  }

  /** The key is in a file beside the note. */
  async digest(text: string): Promise<string> {
    let key = '';
    await new FileNote(`${this.#path}-key`).change((stored) => {
      key = stored ?? randomBytes(32).toString('hex');
      return key;
    });
    return createHmac('sha256', key).update(text).digest('hex');
  }

  async #write(text: string): Promise<void> {
    const next = `${this.#path}.${randomBytes(8).toString('hex')}`;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    try {
      // `wx` fails if the path exists, so this never writes through a symbolic link that somebody put there.
      await writeFile(next, text, { flag: 'wx', mode: 0o600, flush: true });
      await rename(next, this.#path);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
  }
}
