// A browser cannot start a server. So this starts one emulator and one hostile service for all browser tests, which get their
// addresses by `inject('emulator')` and `inject('hostile')`. All tests share them, so each test uses its own names.
import { startEmulator } from '@sluice/emulator';
import type { TestProject } from 'vitest/node';
import { startHostileService } from '../packages/core/test/hostile/hostile-service.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emulator = await startEmulator({ primaryKey: 'email' });
  const { baseUrl, apiUrl, apiKey } = emulator;
  project.provide('emulator', { baseUrl, apiUrl, apiKey });
  const { close, ...addresses } = await startHostileService();
  project.provide('hostile', addresses);
  return async () => {
    await Promise.all([emulator.close(), close()]);
  };
}
