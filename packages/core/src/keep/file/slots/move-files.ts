import { basename, join } from 'node:path';
import { errorCode, type FileSystem } from '../disk/file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/suffixes.ts';

/**
 * Moves the segments of a directory, and what was delivered of each, to another one. If several processes do so at the same time,
 * each segment goes to one of them.
 */
export async function moveFiles(fs: FileSystem, from: string, to: string): Promise<void> {
  const move = (name: string) =>
    fs.rename(join(from, name), join(to, name)).then(
      () => true,
      (error) => {
        // Another process was faster, or there is none.
        if (errorCode(error) !== 'ENOENT') throw error;
        return false;
      },
    );
  for (const { name } of await fs.list(from)) {
    if (!name.endsWith(SEGMENT_SUFFIX)) continue;
    if (await move(name)) await move(basename(name, SEGMENT_SUFFIX) + ACKNOWLEDGEMENTS_SUFFIX);
  }
}
