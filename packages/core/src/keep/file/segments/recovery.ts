import { basename, join } from 'node:path';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { Span } from '../../../base/range.ts';
import type { JournalObserver } from '../../journal.ts';
import type { DamagedFiles } from '../damaged-files.ts';
import { errorCode, type FileSystem } from '../disk/file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, DAMAGED_SUFFIX, SEGMENT_SUFFIX } from '../format/suffixes.ts';
import { filesIn } from './merge.ts';
import type { Segment } from './segment.ts';

interface RecoveryOptions {
  readonly fs: FileSystem;
  readonly damaged: Pick<DamagedFiles, 'setAside'>;
  readonly observer: JournalObserver | undefined;
  /** Whether to continue. False once the journal is closed. */
  readonly goesOn: () => boolean;
  /** Opens a segment by the name of its files. Undefined if the journal knows it already. */
  readonly open: (name: string) => Segment | undefined;
  /** A segment could not be read, or is of another version. */
  readonly leave: (segment: Segment, isForeign: boolean) => void;
  /** Whether the journal knows a segment, by its path. */
  readonly knows: (path: string) => boolean;
  /** Gives the segment to the journal. `waiting`: its events that are not released. */
  readonly take: (segment: Segment, waiting: readonly Span[]) => Promise<void>;
}

/**
 * Takes over the segments in a directory that the journal does not know: another process left them, or somebody put them there.
 * Leaves a segment that it cannot read where it is, and reports that to the observer. Resolves to false if it should be called
 * again later.
 */
export async function recoverDirectory(directory: string, options: RecoveryOptions): Promise<boolean> {
  const { fs, damaged, observer, goesOn, knows, leave, open } = options;
  let isComplete = true;
  const names = await filesIn(directory, fs);
  const segments = names.filter((name) => name.endsWith(SEGMENT_SUFFIX));
  for (const name of segments) {
    if (!goesOn()) return true;
    const segment = open(basename(name, SEGMENT_SUFFIX));
    if (segment === undefined) continue;
    try {
      await takeSegment(segment, await segment.recover(), options);
    } catch (cause) {
      leave(segment, false);
      // Its deletion was in progress.
      if (errorCode(cause) === 'ENOENT') continue;
      isComplete = false;
      observer?.failed(storageError(`cannot read ${segment.path}; it is left where it is for now`, cause));
    }
  }
  for (const name of names) {
    const path = join(directory, name);
    const segment = basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX;
    // The deletion of the segment was interrupted.
    const isLeft = name.endsWith(ACKNOWLEDGEMENTS_SUFFIX) && !names.includes(segment);
    if (isLeft && !knows(join(directory, segment))) await fs.remove(path);
    // Earlier versions left damaged segments where they were.
    if (name.endsWith(DAMAGED_SUFFIX)) await damaged.setAside(path);
  }
  return isComplete;
}

async function takeSegment(
  segment: Segment,
  waiting: readonly Span[] | undefined,
  { leave, observer, take }: RecoveryOptions,
): Promise<void> {
  if (waiting !== undefined) return take(segment, waiting);
  leave(segment, true);
  const reason = 'it was written by another version of Sluice';
  observer?.failed(new StorageError(`${segment.path} is left where it is: ${reason}`));
}
