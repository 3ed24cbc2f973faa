import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';

/** The path of a journal. Throws a UsageError if a file is there. */
export async function possibleDirectory(path: string): Promise<string> {
  const directory = resolve(path);
  const kind = await kindOf(directory);
  if (kind === 'file') throw new UsageError(`${directory} is no directory: give that of a journal`);
  return directory;
}

/** The path of a journal. Throws a UsageError if nothing is there, so that a wrong path does not look like an empty journal. */
export async function existingDirectory(path: string): Promise<string> {
  const directory = await possibleDirectory(path);
  if ((await kindOf(directory)) !== 'nothing') return directory;
  throw new UsageError(
    `there is no directory ${directory}: correct the path, or the settings that lead to it`,
  );
}

/** Unknown if it may not be seen: to read it then says why. */
async function kindOf(path: string): Promise<'directory' | 'file' | 'nothing' | 'unknown'> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : 'unknown';
  }
}
