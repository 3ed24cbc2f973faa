import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { fillStore, TURN_EVENTS } from './filled-store.ts';

it('a store counts the syncs of Sluice', async () => {
  // The store replaces it, and other tests share this process.
  const { fdatasync } = fs;
  onTestFinished(() => {
    Object.assign(fs, { fdatasync });
    syncBuiltinESMExports();
  });
  const { kept, commits } = await fillStore('sluice', 5, 0);
  expect(kept).toBe(5 * TURN_EVENTS);
  expect(commits).toBeGreaterThanOrEqual(1);
});
