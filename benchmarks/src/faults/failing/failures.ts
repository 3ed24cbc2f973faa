import type { FileSystem, OpenFile, SyncFile } from '@sluice/core/file-journal';

/** Everything that a journal asks of a disk, by the name of the method. */
export type Operation = keyof FileSystem | keyof OpenFile | keyof SyncFile;

/** A way in which an operation fails. */
export interface Failure {
  readonly name: string;
  /** Those that can fail so; all where it does not say. */
  readonly operations?: ReadonlySet<Operation>;
  /** What the operation is said to have failed with; undefined where it does not fail. */
  readonly code?: string;
  /** Of a write, only the first half reaches the disk. */
  readonly writesHalf?: boolean;
  /** What was not synced by now never will be, and is gone: zeros, as after a power cut. */
  readonly losesUnsynced?: boolean;
}

const OPENING = ['create', 'createSync', 'openToAppend'] as const;
const WRITING = ['write', 'writeSync'] as const;
const GROWING = [...OPENING, ...WRITING, 'makeDirectory', 'makeDirectorySync'] as const;
const NAMING = ['rename', 'renameSync', 'remove', 'removeDirectory'] as const;
const SYNCING = ['sync', 'syncSync', 'syncDirectory'] as const;

export const FAILURES: readonly Failure[] = [
  { name: 'EIO', code: 'EIO' },
  { name: 'ENOSPC', code: 'ENOSPC', operations: new Set(GROWING) },
  { name: 'EROFS', code: 'EROFS', operations: new Set([...GROWING, ...NAMING, 'truncate']) },
  {
    name: 'EMFILE',
    code: 'EMFILE',
    operations: new Set([...OPENING, 'openToRead', 'list', 'syncDirectory']),
  },
  { name: 'short write', writesHalf: true, operations: new Set(WRITING) },
  { name: 'torn write', code: 'ENOSPC', writesHalf: true, operations: new Set(WRITING) },
  { name: 'failed sync', code: 'EIO', operations: new Set(SYNCING) },
  { name: 'lost sync', code: 'EIO', losesUnsynced: true, operations: new Set(SYNCING) },
];

/** How long it fails: only the n-th operation, all from it on until the disk is repaired, or until the process is gone. */
export const LASTS = ['once', 'a while', 'to the end'] as const;

/** When which operation fails. */
export interface FailurePlan {
  /** The name of the failure. */
  readonly failure: string;
  /** Of the operations that can fail so, the first that does, from 1. */
  readonly nth: number;
  readonly lasts: (typeof LASTS)[number];
}

/** An error as Node gives it for a system call. */
export function systemError(code: string, operation: Operation, path: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${operation} '${path}'`), { code });
}
