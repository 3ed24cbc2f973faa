import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '@sluice/protocol';
import { tried } from '@sluice/protocol/toolbox';
import { type AccountNames, accountOf } from '../../keep/account.ts';

type JournalNames = AccountNames & { readonly journalDirectory?: string | undefined };

/** By options, made absolute once: a process may change its working directory later. */
const directories = new WeakMap<JournalNames, string>();

/** The directory of a place. The API key is no part of it: what waits under a wrong key goes on under the right one. */
export function pathOf(settings: JournalNames, part: string = ''): string {
  const directory =
    directories.get(settings) ?? resolve(settings.journalDirectory ?? defaultDirectory(settings));
  directories.set(settings, directory);
  return join(directory, part);
}

function defaultDirectory(settings: JournalNames): string {
  const account = accountOf({ ...settings, apiKey: undefined });
  // Short, different for each account, and reveals nothing about it.
  const name = createHash('sha256').update(account).digest('hex').slice(0, 16);
  return join(defaultRoot(), name);
}

/** The directory of the journals of all accounts whose options name no directory. */
export function defaultRoot(): string {
  return join(stateDirectory('journalDirectory', 'journal: "memory"'), 'sluice');
}

/**
 * The directory for state that outlives a program and needs no backup. Throws a ConfigError if the user has no home directory, as
 * in some containers.
 *
 * @param option The option that names a directory in place of this one.
 * @param otherwise What else helps.
 */
export function stateDirectory(option: string, otherwise: string): string {
  const { env, platform } = process;
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home(option, otherwise), 'AppData', 'Local');
  if (platform === 'darwin') return join(home(option, otherwise), 'Library', 'Application Support');
  return env.XDG_STATE_HOME || join(home(option, otherwise), '.local', 'state');
}

function home(option: string, otherwise: string): string {
  // It throws where the user is not known, and is empty where HOME is.
  const home = tried(homedir);
  if (home) return home;
  const rule = `is required where the user has no home directory, or ${otherwise}`;
  throw new ConfigError(option, `${option} ${rule}`);
}
