import { basename, join } from 'node:path';
import { StorageError, storageError } from '../../errors/storage-error.ts';
import type { JournalObserver } from '../../journal.ts';
import type { FileSystem } from './file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, type Run, SEGMENT_SUFFIX, type Segment } from './segment.ts';

export interface RecoveryOptions {
  readonly fs: FileSystem;
  readonly observer: JournalObserver | undefined;
  /** A segment by the name of its files. Undefined ends the recovery. */
  readonly open: (name: string) => Segment | undefined;
  /** It is this journal's from now on. */
  readonly take: (segment: Segment, waiting: readonly Run[]) => Promise<void>;
}

/** Takes on the segments in a directory that another life left. What cannot be read stays where it is, and is said so. */
export async function recoverDirectory(directory: string, options: RecoveryOptions): Promise<void> {
  const { fs, observer, open } = options;
  const entries = await fs.list(directory);
  const names = entries.flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])).sort();
  for (const name of names.filter((name) => name.endsWith(SEGMENT_SUFFIX))) {
    const segment = open(basename(name, SEGMENT_SUFFIX));
    if (segment === undefined) return;
    try {
      await recoverSegment(segment, options);
    } catch (cause) {
      observer?.failed(storageError(`cannot read ${segment.path}; it is left where it is`, cause));
    }
  }
  // What remains of a segment whose deletion was cut off.
  for (const name of names.filter((name) => name.endsWith(ACKNOWLEDGEMENTS_SUFFIX))) {
    const segment = basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX;
    if (!names.includes(segment)) await fs.remove(join(directory, name));
  }
  await fs.removeDirectory(directory).catch(() => undefined);
}

async function recoverSegment(segment: Segment, { observer, take }: RecoveryOptions): Promise<void> {
  const waiting = await segment.recover();
  if (waiting !== undefined) return take(segment, waiting);
  const reason = 'it was written by another version of Sluice';
  observer?.failed(new StorageError(`${segment.path} is left where it is: ${reason}`));
}
