import { type StorageError, storageError } from '../../../base/errors/storage-error.ts';
import { errorCode } from './file-system.ts';

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
