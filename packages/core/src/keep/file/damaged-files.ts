import { basename, dirname, join } from 'node:path';
import { storageError } from '../../base/errors/storage-error.ts';
import { errorCode, refuseLink } from './disk/file-system.ts';
import { SEGMENT_SUFFIX } from './format/segment-header.ts';
import type { Site } from './site.ts';

const SUFFIX = '.damaged';
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_AGE_MS = 30 * 24 * 60 * 60_000;

/** Damaged segments, set aside for a person to look at: for 30 days, and 16 MiB in total. Processes share them. */
export class DamagedFiles {
  readonly #site: Pick<Site, 'fs' | 'clock' | 'observer'>;
  /** Created with the first of them. The parts of a journal share that of the journal. */
  readonly #directory: string;

  constructor(site: Pick<Site, 'root' | 'isPart' | 'fs' | 'clock' | 'observer'>) {
    this.#site = site;
    this.#directory = join(site.isPart ? dirname(site.root) : site.root, 'damaged');
  }

  /** Moves a segment of a slot here. Its new name says when that was, and where it was. Rejects if it cannot be moved. */
  async setAside(path: string): Promise<void> {
    const { fs, clock } = this.#site;
    const directory = this.#directory;
    const [, origin = ''] = basename(dirname(path)).split('.');
    const name = basename(path, SEGMENT_SUFFIX);
    await refuseLink(fs, directory);
    await fs.makeDirectory(directory);
    await fs.rename(path, join(directory, `${dateOf(clock.now())}-${origin}-${name}${SUFFIX}`));
    await this.tidy();
  }

  /** Removes what is too old, and the oldest of what is too much. The newest file may be larger. Never rejects. */
  async tidy(): Promise<void> {
    const oldest = dateOf(this.#site.clock.now() - MOST_AGE_MS);
    let total = 0;
    let newer = 0;
    await this.#visit('newest', (name, bytes) => {
      total += bytes;
      newer += 1;
      return name < oldest || (newer > 1 && total > MOST_BYTES);
    });
  }

  /** Removes the oldest until at least so many bytes are free, or none is left. Never rejects. */
  async free(bytes: number): Promise<void> {
    let rest = bytes;
    await this.#visit('oldest', (_name, size) => {
      rest -= size;
      return rest + size > 0;
    });
  }

  /** Removes the files for which the callback returns true. */
  async #visit(first: 'newest' | 'oldest', isToGo: (name: string, bytes: number) => boolean): Promise<void> {
    const { fs, observer } = this.#site;
    const directory = this.#directory;
    try {
      await refuseLink(fs, directory);
      const names = (await fs.list(directory)).flatMap(({ name, kind }) =>
        kind === 'file' && name.endsWith(SUFFIX) ? [name] : [],
      );
      names.sort();
      for (const name of first === 'oldest' ? names : names.reverse()) {
        const path = join(directory, name);
        if (isToGo(name, await fs.sizeOf(path))) await fs.remove(path);
      }
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT')
        observer?.failed(storageError(`cannot remove old damaged files from ${directory}`, cause));
    }
  }
}

/** Such names sort by time. No colon: Windows has none in a file's name. */
function dateOf(time: number): string {
  return new Date(time).toISOString().replaceAll(':', '-');
}
