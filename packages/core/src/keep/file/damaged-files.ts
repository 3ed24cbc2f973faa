import { basename, dirname, join } from 'node:path';
import { storageError } from '../../base/errors/storage-error.ts';
import { errorCode, refuseLink } from './disk/file-system.ts';
import { SEGMENT_SUFFIX } from './format/segment-header.ts';
import type { Site } from './site.ts';

const SUFFIX = '.damaged';
const MOST_BYTES = 16 * 1024 * 1024;
/** Many files may be set aside one after the other: for so long, the directory need not be looked at again. */
const KNOWN_MS = 60_000;
const MOST_AGE_MS = 30 * 24 * 60 * 60_000;

/** Damaged segments, set aside for a person to look at: for 30 days, and 16 MiB in total. Processes share them. */
export class DamagedFiles {
  readonly #site: Pick<Site, 'fs' | 'clock' | 'observer'>;
  /** Created with the first of them. The parts of a journal share that of the journal. */
  readonly #directory: string;
  /** How many bytes are there, and when that was looked up. */
  #total = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(site: Pick<Site, 'root' | 'isPart' | 'fs' | 'clock' | 'observer'>) {
    this.#site = site;
    this.#directory = join(site.isPart ? dirname(site.root) : site.root, 'damaged');
  }

  /** Moves a segment of a slot here. Its new name says when that was, and where it was. Rejects if it cannot be moved. */
  async setAside(path: string): Promise<void> {
    const { fs, clock } = this.#site;
    const directory = this.#directory;
    const size = await fs.sizeOf(path);
    // A person took it away.
    if (size === 0) return fs.remove(path);
    const [, origin = ''] = basename(dirname(path)).split('.');
    const name = basename(path, SEGMENT_SUFFIX);
    const now = clock.now();
    const isKnown = now >= this.#lookedAt && now - this.#lookedAt < KNOWN_MS;
    if (!isKnown) await refuseLink(fs, directory);
    await fs.makeDirectory(directory);
    await fs.rename(path, join(directory, `${dateOf(now)}-${origin}-${name}${SUFFIX}`));
    this.#total += size;
    if (!isKnown || this.#total > MOST_BYTES) await this.tidy();
  }

  /**
   * Removes files that are too old, and while there are too many bytes, the oldest one, except the newest file. If `bytes` are
   * needed, removes only the oldest files until these are free. Never rejects.
   */
  async tidy(bytes: number = 0): Promise<void> {
    const { fs, clock } = this.#site;
    const directory = this.#directory;
    const oldest = dateOf(clock.now() - MOST_AGE_MS);
    try {
      await refuseLink(fs, directory);
      const files: { readonly name: string; readonly size: number }[] = [];
      for (const { name, kind } of await fs.list(directory))
        if (kind === 'file' && name.endsWith(SUFFIX))
          files.push({ name, size: await fs.sizeOf(join(directory, name)) });
      files.sort((one, other) => (one.name < other.name ? -1 : 1));
      let total = files.reduce((sum, { size }) => sum + size, 0);
      let freed = 0;
      for (const { name, size } of files) {
        const isTooMuch = total > MOST_BYTES && name !== files.at(-1)?.name;
        const isToGo = bytes > 0 ? freed < bytes : name < oldest || isTooMuch;
        if (!isToGo) break;
        await fs.remove(join(directory, name));
        total -= size;
        freed += size;
      }
      this.#total = total;
      this.#lookedAt = clock.now();
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT')
        this.#site.observer?.failed(storageError(`cannot remove old damaged files from ${directory}`, cause));
    }
  }
}

/** Such names sort by time. No colon: Windows has none in a file's name. */
function dateOf(time: number): string {
  return new Date(time).toISOString().replaceAll(':', '-');
}
