import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { errorCode } from './file-system.ts';

/** Error codes of a path that leads nowhere. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * Whether a path leads to this very file. False once somebody removed, moved or replaced it, or a directory above it.
 *
 * @param platform Node 22 on Windows gives a volume one number by path, and another one by handle: there, `dev` does not count.
 */
export async function leadsTo(
  path: string,
  { dev, ino }: Pick<Stats, 'dev' | 'ino'>,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const found = await lstat(path).catch((error) => {
    if (!GONE.has(errorCode(error) ?? '')) throw error;
  });
  return found?.ino === ino && (found.dev === dev || platform === 'win32');
}
