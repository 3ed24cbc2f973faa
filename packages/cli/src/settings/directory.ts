import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { counted } from '../text/amounts.ts';

/** The directory that a tracker or a relay makes for an account, in the state directory of its user. */
const ACCOUNT = /^(relay-)?[\da-f]{16}$/;
/** What a journal directory has: the directory or the lock of a process. */
const SLOT = /^[0-9a-f]{16}\.([0-9a-f]{16}|lock)$/;
/** A relay has it beside its journal. */
const RELAY_KEY = 'window.key';

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

/** Throws a UsageError for the directory of a relay, and for one that has a journal for each account, as the default one has. */
export async function oneJournal(directory: string): Promise<string> {
  // What may not be read has none: to read it then says why.
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === RELAY_KEY))
    throw new UsageError(`${directory} is that of a relay: give ${join(directory, 'journal')}`);
  const isOne = entries.length === 0 || !entries.every((one) => one.isDirectory() && ACCOUNT.test(one.name));
  // The state directory itself, such as that of XDG_STATE_HOME, unless it is a journal, too.
  const isState = isOne && !entries.some(({ name }) => SLOT.test(name));
  if (isState && entries.some((one) => one.isDirectory() && one.name === 'sluice'))
    await oneJournal(join(directory, 'sluice'));
  if (isOne) return directory;
  const journals = entries.map(({ name }) => join(directory, name, ACCOUNT.exec(name)?.[1] ? 'journal' : ''));
  throw new UsageError(
    `${directory} is not one journal, it holds those of ${counted(entries.length, 'account')}: give ${journals.join(' or ')}`,
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
