import type { Clock } from '@sluice/protocol/toolbox';
import type { Fsync, JournalObserver } from '../journal.ts';
import type { FileSystem } from './disk/file-system.ts';
import type { Locks } from './slots/system-locks.ts';

/** The journal frees whole segments, so at least this many must fit within its limit. */
const LEAST_SEGMENTS = 8;

/** What all parts of one file journal share. */
export interface Site {
  readonly root: string;
  /** Whether it lies in that of another journal. Then it may not be a link: the user chooses a root, but not what is inside it. */
  readonly isPart: boolean;
  readonly fs: FileSystem;
  readonly locks: Locks;
  /** The owner names that this journal has used. Directories with these names are in use. */
  readonly ours: Set<string>;
  readonly clock: Clock;
  readonly fsync: Fsync;
  /** A segment becomes no larger than this, in bytes. */
  readonly segmentBytes: number;
  /** Is told what happens. Undefined until the journal is opened. */
  observer: JournalObserver | undefined;
}

/** How large a segment may become in a journal of at most so many bytes. */
export function segmentSize(wanted: number, journalBytes: number): number {
  return Math.min(wanted, Math.floor(journalBytes / LEAST_SEGMENTS));
}
