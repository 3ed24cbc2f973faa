import type { FileSystem, OpenFile, SyncFile } from '@sluice/core/file-journal';

/** All operations of a journal on its disk, by the name of the method. */
export type Operation = keyof FileSystem | keyof OpenFile | keyof SyncFile;

/** A way in which an operation fails. */
export interface Failure {
  readonly name: string;
  /** The operations that can fail in this way. All, if not given. */
  readonly operations?: ReadonlySet<Operation>;
  /** Error code of the failed operation. Undefined if the operation does not fail. */
  readonly code?: string;
  /** Only the first half of a write reaches the disk. */
  readonly writesHalf?: boolean;
  /** Bytes that were not synced become zeros, as after a power cut. */
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

/** How long the disk fails: only at the n-th operation; from it on until the disk is repaired; or until the process ends. */
export const LASTS = ['once', 'a while', 'to the end'] as const;

/** Which operation fails, and when. */
export interface FailurePlan {
  /** Name of the failure. */
  readonly failure: string;
  /** Number of the first operation that fails, from 1. Counts only the operations that can fail in this way. */
  readonly nth: number;
  readonly lasts: (typeof LASTS)[number];
}

/** An error like that of a failed system call in Node. */
export function systemError(code: string, operation: Operation, path: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${operation} '${path}'`), { code });
}
