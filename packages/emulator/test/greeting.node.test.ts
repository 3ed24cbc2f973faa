import { expect, it } from 'vitest';
import { greeting } from '../src/running/greeting.ts';
import { startEmulator } from '../src/running/start-emulator.ts';

it('tells a person where the pages are, how to send, and what is not set up yet', async () => {
  await using emulator = await startEmulator();
  const text = greeting(emulator);
  for (const needed of [emulator.pagesUrl, emulator.baseUrl, emulator.apiUrl, emulator.apiKey]) {
    expect(text).toContain(needed);
  }
  expect(text).toMatch(/Primary key +none yet: select one on the audience page/);
  expect(text).toMatch(/Kept in +memory only/);
  expect(greeting(emulator, '/var/data')).toMatch(/Kept in +\/var\/data/);
});
