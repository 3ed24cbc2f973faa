import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalDirectoryOf } from '@sluice/core/inspect';
import { afterEach, expect, it, vi } from 'vitest';
import { findJournal, readSettings } from '../src/settings/settings.ts';
import { API_KEY, makeFolder } from './folder.ts';

afterEach(() => void vi.unstubAllEnvs());

async function fileOf(settings: object): Promise<string> {
  const config = join(makeFolder(), 'sluice.config.json');
  await writeFile(config, JSON.stringify(settings));
  return config;
}

it('a variable that is empty counts as not set', async () => {
  const names = ['SLUICE_BASE_URL', 'SLUICE_CORRELATION_KEY', 'SLUICE_JOURNAL_DIRECTORY', 'SLUICE_API_KEY'];
  for (const name of names) vi.stubEnv(name, '');
  const settings = { baseUrl: 'http://a.example', journalDirectory: '/data/sluice' };
  expect(await readSettings({ config: await fileOf(settings) })).toEqual(settings);
});

it('the key itself in place of its file is not shown', async () => {
  const reading = readSettings({ config: await fileOf({}), apiKeyFile: API_KEY });
  await expect(reading).rejects.toThrow('cannot read the file of --api-key-file: there is no such file');
  await expect(reading).rejects.not.toThrow(API_KEY);
});

it.each(['', 7, null])('a file cannot name %j as the directory of the journal', async (journalDirectory) => {
  const config = await fileOf({ journalDirectory });
  await expect(readSettings({ config })).rejects.toThrow('journalDirectory must be the path of a directory');
});

it('the journal of another endpoint is looked for where its tracker keeps it', async () => {
  const names = { baseUrl: 'http://a.example', correlationKey: 'email' };
  const settings = { ...names, destination: { path: '/lines' } };
  const found = await findJournal(settings, undefined);
  expect(found).toBe(journalDirectoryOf(settings));
  expect(found).not.toBe(journalDirectoryOf(names));
});
