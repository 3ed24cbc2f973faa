import { basename, join } from 'node:path';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { Span } from '../../../base/range.ts';
import type { JournalObserver } from '../../journal.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/suffixes.ts';
import type { Segment } from './segment.ts';

interface RecoveryOptions {
  readonly fs: FileSystem;
  readonly observer: JournalObserver | undefined;
  /** Whether to continue. False once the journal is closed. */
  readonly goesOn: () => boolean;
  /** Opens a segment by the name of its files. Undefined if the journal holds it already. */
  readonly open: (name: string) => Segment | undefined;
  /** Gives the segment to the journal. `waiting`: its events that are not released. */
  readonly take: (segment: Segment, waiting: readonly Span[]) => Promise<void>;
}

/**
 * Takes over the segments in a directory that another process left. Leaves a segment that it cannot read where it is, and
 * reports that to the observer. Resolves to false if it should be called again later.
 */
export async function recoverDirectory(directory: string, options: RecoveryOptions): Promise<boolean> {
  const { fs, observer, goesOn, open } = options;
  let isComplete = true;
  const entries = await fs.list(directory);
  const names = entries.flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])).sort();
  for (const name of names.filter((name) => name.endsWith(SEGMENT_SUFFIX))) {
    if (!goesOn()) return true;
    const segment = open(basename(name, SEGMENT_SUFFIX));
    if (segment === undefined) continue;
    try {
      await recoverSegment(segment, options);
    } catch (cause) {
      isComplete = false;
      observer?.failed(storageError(`cannot read ${segment.path}; it is left where it is for now`, cause));
    }
  }
  // `.acks` files without a segment: its deletion was interrupted.
  for (const name of names.filter((name) => name.endsWith(ACKNOWLEDGEMENTS_SUFFIX))) {
    const segment = basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX;
    if (!names.includes(segment)) await fs.remove(join(directory, name));
  }
  await fs.removeDirectory(directory).catch(() => undefined);
  return isComplete;
}

async function recoverSegment(segment: Segment, { observer, take }: RecoveryOptions): Promise<void> {
  const waiting = await segment.recover();
  if (waiting !== undefined) return take(segment, waiting);
  const reason = 'it was written by another version of Sluice';
  observer?.failed(new StorageError(`${segment.path} is left where it is: ${reason}`));
}
