import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@sluice/protocol';
import { tried } from '@sluice/protocol/toolbox';

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
  throw new ConfigError(
    option,
    `${option} is required where the user has no home directory, or ${otherwise}`,
  );
}
