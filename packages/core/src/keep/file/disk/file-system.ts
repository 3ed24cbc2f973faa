/**
 * What the journal needs of a disk: a seam of its own, so that tests can make each call fail, be slow, or lose what was
 * not synced. `node-file-system.ts` is the real one.
 */
export interface FileSystem {
  /** Makes a file for the user alone, and rejects with EEXIST where there is one. Follows no link. */
  create(path: string): Promise<OpenFile>;
  /** Opens a file to add to its end; makes it where there is none. Follows no link. */
  openToAppend(path: string): Promise<OpenFile>;
  /** Opens a file to read it. Rejects with ENOENT where there is none. Follows no link. */
  openToRead(path: string): Promise<OpenFile>;
  /** As `create`, on this thread. */
  createSync(path: string): SyncFile;
  /** Makes a directory for the user alone, and those above it. One that is there already is left as it is. */
  makeDirectory(path: string): Promise<unknown>;
  makeDirectorySync(path: string): void;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Atomic. Replaces a file, and a directory that is empty. */
  rename(from: string, to: string): Promise<void>;
  renameSync(from: string, to: string): void;
  /** Removes a file. One that is not there is no error. */
  remove(path: string): Promise<void>;
  /** Removes a directory. Rejects where it holds anything. */
  removeDirectory(path: string): Promise<void>;
  /** Makes the names in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  /** The file system that a directory is on. */
  volume(path: string): Promise<Volume>;
  /** Resolves once all that came in by now was looked at: small writes that it leads to are made together. Left out: at once. */
  endOfTurn?(): Promise<void>;
}

/** An open file. Reads and writes say where; those that were opened to append ignore it and write at the end. */
export interface OpenFile {
  /** Returns how many bytes were written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  writeSync(bytes: Uint8Array, position: number): number;
  /** Fills `target` as far as the file goes. Returns how many bytes were read. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Makes what was written survive a power cut. */
  sync(): Promise<void>;
  syncSync(): void;
  truncate(size: number): Promise<void>;
  stat(): Promise<FileStatus>;
  close(): Promise<void>;
}

/** A file for the last moment of a process, in which nothing can be awaited. */
export type SyncFile = Pick<OpenFile, 'writeSync' | 'syncSync'> & { closeSync(): void };

export interface FileStatus {
  readonly size: number;
  /** Whether a directory still names it. */
  readonly isLinked: boolean;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
}

export interface Volume {
  /** Bytes that this user may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** The name of a network file system, where it is known to be one. */
  readonly network: string | undefined;
}

/** The code that Node gives errors of the operating system: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
