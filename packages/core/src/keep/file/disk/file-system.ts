import { basename, dirname } from 'node:path';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';

/**
 * The file operations that the journal needs. They are an interface so that tests can make each call fail, slow it down, or
 * lose what was not synced. `node-file-system.ts` is the real implementation.
 */
export interface FileSystem {
  /** Creates a file that only the user can access. Rejects with EEXIST if the path exists. Follows no link. */
  create(path: string): Promise<OpenFile>;
  /** Opens a file to write at its end. Creates it if it is missing. Follows no link. */
  openToAppend(path: string): Promise<OpenFile>;
  /** Opens a file to read it. Rejects with ENOENT if it is missing, and as `makeDirectory` if it is somebody else's. Follows no link. */
  openToRead(path: string): Promise<OpenFile>;
  /** Like `create`, but synchronous. */
  createSync(path: string): SyncFile;
  /**
   * Creates a directory that only the user can access, and its missing parents. Does not change existing directories. Rejects if
   * another user owns the directory, or may write to it.
   */
  makeDirectory(path: string): Promise<unknown>;
  makeDirectorySync(path: string): void;
  /** Unless `mayBeForeign`, rejects as `makeDirectory` if the directory is somebody else's. */
  list(
    path: string,
    mayBeForeign?: boolean,
  ): Promise<readonly { readonly name: string; readonly kind: 'file' | 'directory' | 'other' }[]>;
  /** Size of a file, in bytes; 0 if it is missing. Follows no link. */
  sizeOf(path: string): Promise<number>;
  /** Atomic. Replaces a file or an empty directory at `to`. */
  rename(from: string, to: string): Promise<void>;
  renameSync(from: string, to: string): void;
  /** Removes a file. A missing file is no error. */
  remove(path: string): Promise<void>;
  /** Removes a directory. Rejects if it is not empty. */
  removeDirectory(path: string): Promise<void>;
  /** Removes a directory with all that is in it, or a file. Absent: what a failed last moment leaves stays. */
  removeSync?(path: string): void;
  /** Makes the names in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  /** The file system that holds a directory. Its sizes are infinite if it does not say them. */
  volume(path: string): Promise<{
    /** Bytes that this user may still write. */
    readonly freeBytes: number;
    readonly totalBytes: number;
    /** The name of the network file system, if it is known to be one. */
    readonly network: string | undefined;
  }>;
  /**
   * Resolves once the event loop has handled the input that has already arrived. Small writes that this input causes are then
   * made as one. Absent: no wait.
   */
  endOfTurn?(): Promise<void>;
}

/** An open file. Reads and writes take a position. A file that was opened to append ignores it and writes at the end. */
export interface OpenFile {
  /** Returns how many bytes were written, which may be fewer than given. Rejects if the file ends before the position. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  writeSync(bytes: Uint8Array, position: number): number;
  /** Reads until `target` is full or the file ends. Returns how many bytes were read. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Makes the written data survive a power cut. */
  sync(): Promise<void>;
  syncSync(): void;
  truncate(size: number): Promise<void>;
  /** `isInPlace`: whether its path still leads to it. False once somebody removed, moved or replaced it, or a directory above it. */
  stat(): Promise<{ readonly size: number; readonly isInPlace: boolean }>;
  /** As `isInPlace`, for the last moment. Absent: it is taken to be in its place. */
  isInPlaceSync?(): boolean;
  close(): Promise<void>;
}

/** A file for the last moment of a process, when nothing can be awaited. */
export type SyncFile = Pick<OpenFile, 'writeSync' | 'syncSync'> & { closeSync(): void };

/** The code of an operating system error in Node, such as `ENOENT`. In Jest it is an `Error` of another realm. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The result of an operation, or `instead` if the file is missing. */
export function unlessMissing<Result, Instead>(
  work: Promise<Result>,
  instead: Instead,
): Promise<Result | Instead> {
  return work.catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return instead;
  });
}

/** Throws a StorageError if a directory inside another one is a link, or no directory. A missing one is no error. */
export async function refuseLink(fs: Pick<FileSystem, 'list'>, path: string): Promise<void> {
  const entries = await fs.list(dirname(path), true);
  if (entries.some(({ name, kind }) => name === basename(path) && kind !== 'directory'))
    throw new StorageError(`${path} is a link: remove it, and the journal makes a directory`);
}

const RIGHTS = ', where this user may not write: change that, or set journalDirectory';
const NO_PLACE = ', which is no place for a directory: set journalDirectory';
const SPACE = ', where no space is left: free some, or set journalDirectory';

/** What a developer must know, by the code of an error. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EROFS: RIGHTS,
  ENOTDIR: NO_PLACE,
  EEXIST: NO_PLACE,
  ENOSPC: SPACE,
  EDQUOT: SPACE,
};

/** Makes a StorageError that says what failed in a directory, what to do, and why. */
export function diskError(what: string, directory: string, cause: unknown): StorageError {
  return storageError(`${what} ${directory}${ADVICE[errorCode(cause) ?? ''] ?? ''}`, cause);
}

/** Reads a file; undefined if it has more bytes than `mostBytes`. Neither waits for a named pipe, nor follows a link. */
export async function readWhole(
  fs: Pick<FileSystem, 'openToRead'>,
  path: string,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const file = await fs.openToRead(path);
  try {
    const { size } = await file.stat();
    if (size > mostBytes) return undefined;
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Writes all bytes, in as many calls as the disk needs. */
export async function writeAll(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new StorageError(`the disk took ${written} of ${bytes.length} bytes`);
    written += count;
  }
}

export function writeAllSync(file: Pick<SyncFile, 'writeSync'>, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    const count = file.writeSync(bytes.subarray(written), position + written);
    if (count === 0) throw new StorageError(`the disk took ${written} of ${bytes.length} bytes`);
    written += count;
  }
}

/** Creates a file with these bytes. Throws if the path exists. */
export function writeFileSync(
  fs: Pick<FileSystem, 'createSync'>,
  path: string,
  bytes: Buffer,
  isSynced: boolean,
): void {
  const file = fs.createSync(path);
  try {
    writeAllSync(file, bytes, 0);
    if (isSynced) file.syncSync();
  } finally {
    file.closeSync();
  }
}
