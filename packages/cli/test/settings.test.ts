import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalDirectoryOf } from '@sluice/core/inspect';
import { afterEach, expect, it, vi } from 'vitest';
import { findJournal, readSettings } from '../src/settings/settings.ts';
import { makeFolder } from './folder.ts';

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
