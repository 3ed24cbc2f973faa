const MESSAGES = {
  EBADF: 'bad file descriptor',
  EIO: 'i/o error',
  ENOSPC: 'no space left on device',
  EMFILE: 'too many open files',
  EROFS: 'read-only file system',
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
} as const;

export type DiskErrorCode = keyof typeof MESSAGES;

/** An error of the operating system, in Node's form. */
export class DiskError extends Error {
  override readonly name = 'Error';
  readonly code: DiskErrorCode;

  constructor(code: DiskErrorCode, what: string) {
    super(`${code}: ${MESSAGES[code]}, ${what}`);
    this.code = code;
  }
}
