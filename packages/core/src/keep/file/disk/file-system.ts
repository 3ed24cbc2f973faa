import { basename, dirname } from 'node:path';
import { StorageError } from '../../../base/errors/storage-error.ts';

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
  close(): Promise<void>;
}

/** A file for the last moment of a process, when nothing can be awaited. */
export type SyncFile = Pick<OpenFile, 'writeSync' | 'syncSync'> & { closeSync(): void };

/** The code of an operating system error in Node, such as `ENOENT`. In Jest it is an `Error` of another realm. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Throws a StorageError if a directory that is to be inside another one is a link, or something else. Missing is no error. */
export async function refuseLink(fs: Pick<FileSystem, 'list'>, path: string): Promise<void> {
  const entries = await fs.list(dirname(path), true);
  if (entries.some(({ name, kind }) => name === basename(path) && kind !== 'directory'))
    throw new StorageError(`${path} is a link: remove it, and the journal makes a directory`);
}

/** Whether there is nothing at a path. False in doubt. */
export function isMissing(fs: Pick<FileSystem, 'volume'>, path: string): Promise<boolean> {
  return fs.volume(path).then(
    () => false,
    (error) => errorCode(error) === 'ENOENT',
  );
}
