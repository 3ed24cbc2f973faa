import type { Stats } from 'node:fs';
import { StorageError } from '../../../base/errors/storage-error.ts';

/** The right of the group, and of everybody else, to write. */
const OTHERS_WRITE = 0o022;

/**
 * As sshd does: throws a StorageError if another user owns a file or directory, or may write to it. Events that somebody else puts
 * there would be sent with our key. Does nothing on systems without such users.
 */
export function refuseForeign(path: string, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (uid !== user)
    throw new StorageError(
      `${path} belongs to user ${uid}, and this process runs as user ${user}: use another directory, or chown ${user} it`,
    );
  if ((mode & OTHERS_WRITE) !== 0)
    throw new StorageError(`other users may write to ${path}: use another directory, or chmod go-w it`);
}
