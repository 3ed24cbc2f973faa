import { join } from 'node:path';
import { errorCode, type FileSystem } from './disk/file-system.ts';

/** A journal directory has directories of slots, and those of its parts, such as dead letters, have their own. */
const MOST_DEPTH = 3;

/**
 * The size of all files in a directory and in the directories inside it, in bytes. Processes may change it meanwhile.
 *
 * @param isOwn Whether a path is that of a file that is not to be counted.
 */
export async function directorySize(
  fs: Pick<FileSystem, 'list' | 'sizeOf'>,
  directory: string,
  isOwn: (path: string) => boolean,
  depth: number = MOST_DEPTH,
): Promise<number> {
  let bytes = 0;
  const entries = await fs.list(directory).catch((error) => {
    // What somebody else put into it is not ours to count, nor to delete.
    if (depth === MOST_DEPTH && errorCode(error) !== 'ENOENT') throw error;
    return [];
  });
  for (const { name, kind } of entries) {
    const path = join(directory, name);
    if (kind === 'directory' && depth > 1) bytes += await directorySize(fs, path, isOwn, depth - 1);
    // Asked first: a file of our own may be deleted while its size is read.
    if (kind === 'file' && !isOwn(path)) bytes += await fs.sizeOf(path);
  }
  return bytes;
}
