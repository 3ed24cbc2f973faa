import { createHmac, randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tried } from '@sluice/protocol/toolbox';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { Note } from '../../note.ts';
import { errorCode, readWhole, writeFileSync } from './file-system.ts';
import { nodeFileSystem } from './node-file-system.ts';

/** Error codes of a missing file, and of something that is no file: the next note replaces it. */
const NONE = /^(ENOENT|ELOOP|EINVAL|ENXIO)$/;
/** A longer file is no note. */
const MOST_BYTES = 64 * 1024;

/** A note in its own file, replaced as a whole. If two processes change it at the same time, one change is lost. */
export class FileNote implements Note {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<string | undefined> {
    try {
      return (await readWhole(nodeFileSystem, this.#path, MOST_BYTES))?.toString();
    } catch (cause) {
      if (cause instanceof StorageError || NONE.test(errorCode(cause) ?? '')) return undefined;
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

  /** Replaces the text at the last moment of a process. A power cut may undo it. Throws if it cannot. */
  writeSync(text: string): void {
    const next = `${this.#path}.${randomBytes(8).toString('hex')}`;
    try {
      writeFileSync(nodeFileSystem, next, Buffer.from(text), false);
      nodeFileSystem.renameSync(next, this.#path);
    } catch (error) {
      tried(() => nodeFileSystem.removeSync?.(next));
      throw error;
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
    await nodeFileSystem.makeDirectory(dirname(this.#path));
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
