import { readFileSync } from 'node:fs';
import { defaultJournals, journalDirectoryOf } from '@sluice/core/inspect';
import { isNonEmptyString, readApiKey, readBaseUrl } from '@sluice/protocol/toolbox';
import { UsageError } from '../exit-codes.ts';
import { readConfigFile, type SluiceConfig } from './config-file.ts';
import { oneJournal, possibleDirectory } from './directory.ts';

/** The primary key for commands that make no event: stored ones name their own. */
export const UNUSED_KEY = 'email';

/** Flags of commands that use a journal or the service. */
export interface ServiceFlags {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly correlationKey?: string;
  readonly journal?: string;
  readonly apiKeyFile?: string;
  readonly insecureApiKey?: string;
  readonly apiKey?: true;
}

/** What is needed to deliver. */
export type ServiceSettings = SluiceConfig & {
  readonly baseUrl: string;
  readonly correlationKey: string;
  readonly journalDirectory: string;
};

/** The settings: from flags, from the environment, from sluice.config.*, in this order. */
export async function readSettings(flags: ServiceFlags): Promise<SluiceConfig> {
  const file = await readConfigFile(flags.config);
  // An empty variable counts as not set: an empty path would be the working directory.
  const variable = (name: string) => process.env[name] || undefined;
  const given = {
    baseUrl: flags.baseUrl ?? variable('SLUICE_BASE_URL'),
    correlationKey: flags.correlationKey ?? variable('SLUICE_CORRELATION_KEY'),
    journalDirectory: flags.journal ?? variable('SLUICE_JOURNAL_DIRECTORY'),
    apiKey: readKey(flags) ?? variable('SLUICE_API_KEY'),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const settings: SluiceConfig = { ...file, ...Object.fromEntries(known) };
  const { journalDirectory } = settings;
  if (journalDirectory !== undefined && !isNonEmptyString(journalDirectory))
    throw new UsageError('journalDirectory must be the path of a directory: correct sluice.config.*');
  return settings;
}

/** Adds the directory of the journal. Throws a UsageError that says which setting is missing. */
export async function requireService(settings: SluiceConfig, directory?: string): Promise<ServiceSettings> {
  const { baseUrl, correlationKey } = settings;
  if (baseUrl === undefined) throw missing('--base-url URL', 'SLUICE_BASE_URL', 'baseUrl');
  readBaseUrl('baseUrl', baseUrl, settings.apiKey);
  if (settings.apiKey !== undefined) readApiKey(settings.apiKey);
  if (correlationKey === undefined)
    throw missing('--correlation-key NAME', 'SLUICE_CORRELATION_KEY', 'correlationKey');
  const names = { ...settings, baseUrl, correlationKey };
  const path = directory ?? settings.journalDirectory ?? journalDirectoryOf(names);
  const journalDirectory = await oneJournal(await possibleDirectory(path));
  return { ...settings, baseUrl, correlationKey, journalDirectory };
}

/** The journal to look into. If nothing names one, it is the only one of this user. */
export async function findJournal(settings: SluiceConfig, directory: string | undefined): Promise<string> {
  const { baseUrl, correlationKey } = settings;
  const named = directory ?? settings.journalDirectory;
  if (named !== undefined) return named;
  if (baseUrl !== undefined && correlationKey !== undefined)
    return journalDirectoryOf({ ...settings, baseUrl, correlationKey });
  const found = await defaultJournals();
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const what = found.length === 0 ? 'no journal was found' : `there are ${found.length}: ${found.join(', ')}`;
  throw new UsageError(`which journal? ${what}; give its directory: sluice inspect DIR`);
}

function readKey({ apiKey, apiKeyFile, insecureApiKey }: ServiceFlags): string | undefined {
  if (apiKey)
    throw new UsageError(
      'a key on the command line can be read by everybody on this machine: set SLUICE_API_KEY, or use --api-key-file FILE',
    );
  if (apiKeyFile === undefined) return insecureApiKey;
  try {
    return readFileSync(apiKeyFile, 'utf8').trim();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const whys = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a directory',
      EACCES: 'this user may not read it',
    };
    const why = Object.entries(whys).find(([name]) => name === code)?.[1] ?? String(code);
    // Without the path, which may be the key itself.
    throw new UsageError(
      `cannot read the file of --api-key-file: ${why}; give the path of a file that has the key`,
    );
  }
}

function missing(flag: string, variable: string, option: string): UsageError {
  return new UsageError(
    `${option} is missing: give ${flag}, set ${variable}, or put it into sluice.config.json`,
  );
}
