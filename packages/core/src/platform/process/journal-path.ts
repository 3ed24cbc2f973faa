import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type AccountNames, accountOf } from '../../keep/account.ts';
import { stateDirectory } from './state-directory.ts';

/** What decides where a journal is. */
type JournalNames = AccountNames & { readonly journalDirectory?: string | undefined };

/** The directory of a place. The API key is no part of it: what waits under a wrong key goes on under the right one. */
export function pathOf(settings: JournalNames, part: string = ''): string {
  const { journalDirectory: directory } = settings;
  if (directory !== undefined) return join(resolve(directory), part);
  return join(defaultRoot(), nameOf(accountOf({ ...settings, apiKey: undefined })), part);
}

/** The directory of the journals of all accounts whose options name no directory. */
export function defaultRoot(): string {
  return join(stateDirectory('journalDirectory', 'journal: "memory"'), 'sluice');
}

/** A short name that is different for each account and reveals nothing about it. */
function nameOf(account: string): string {
  return createHash('sha256').update(account).digest('hex').slice(0, 16);
}
