import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkOptions } from '../src/doctor/options-check.ts';
import { existingDirectory, oneJournal } from '../src/settings/directory.ts';
import { makeFolder } from './folder.ts';

it('a directory with a journal for each account is none itself: the error names them', async () => {
  const folder = makeFolder();
  const names = ['8b49a6da8104e6c0', 'c41f6a9da8104e6c', 'relay-8b49a6da8104e6c0/journal'];
  const accounts = names.map((name) => join(folder, name));
  for (const account of accounts) await mkdir(account, { recursive: true });
  const message = `${folder} is not one journal, it holds those of 3 accounts: give ${accounts.join(' or ')}`;
  await expect(existingDirectory(folder)).rejects.toThrow(message);
  await expect(oneJournal(folder)).rejects.toThrow(message);
  expect(await existingDirectory(accounts[0] ?? '')).toBe(accounts[0]);
  await mkdir(join(folder, 'damaged'));
  expect(await existingDirectory(folder)).toBe(folder);
});

it('the state directory above them is none either', async () => {
  const state = makeFolder();
  const account = join(state, 'sluice', '8b49a6da8104e6c0');
  await mkdir(account, { recursive: true });
  await expect(existingDirectory(state)).rejects.toThrow(`give ${account}`);
});

it('but a journal may lie beside the state of another tracker', async () => {
  const data = makeFolder();
  await mkdir(join(data, '0123456789abcdef.0123456789abcdef'), { recursive: true });
  await mkdir(join(data, 'sluice', '8b49a6da8104e6c0'), { recursive: true });
  expect(await existingDirectory(data)).toBe(data);
});

it('doctor says that a tracker which is switched off does nothing', async () => {
  const settings = { baseUrl: 'http://a.example', correlationKey: 'email', enabled: false };
  expect(await checkOptions(settings as never)).toMatchObject({ check: 'settings', state: 'problem' });
});
