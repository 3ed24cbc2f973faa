import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { createJournal } from '../../src/platform/browser.ts';

it('two accounts never share a database, though their names have the same short hash', async () => {
  // Both have the same 32-bit FNV-1a hash.
  const accounts = [1_039_599, 1_222_382].map((number) => `https://relay.example/${number}`);
  const names = async () => (await indexedDB.databases()).map(({ name }) => name);
  const before = await names();
  const ignored = { recovered: () => {}, damaged: () => {}, failed: () => {} };
  for (const baseUrl of accounts) {
    const journal = createJournal({ settings: { baseUrl, correlationKey: 'email' }, clock: systemClock });
    await journal?.open(ignored);
    await journal?.close();
  }
  expect((await names()).filter((name) => !before.includes(name))).toHaveLength(2);
});
