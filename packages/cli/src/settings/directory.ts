import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { counted } from '../text/amounts.ts';

/** The directory that a tracker makes for an account, in the state directory of its user. */
const ACCOUNT = /^[\da-f]{16}$/;

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
  if ((await kindOf(directory)) !== 'nothing') return oneJournal(directory);
  throw new UsageError(
    `there is no directory ${directory}: correct the path, or the settings that lead to it`,
  );
}

/** Throws a UsageError for a directory that has a journal for each account, as the default one has. */
export async function oneJournal(directory: string): Promise<string> {
  // What may not be read has none: to read it then says why.
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const isOne = entries.length === 0 || !entries.every((one) => one.isDirectory() && ACCOUNT.test(one.name));
  if (isOne) return directory;
  const journals = entries.map(({ name }) => join(directory, name)).join(' or ');
  throw new UsageError(
    `${directory} is not one journal, it holds those of ${counted(entries.length, 'account')}: give ${journals}`,
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
