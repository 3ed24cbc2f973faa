// A browser cannot start a server: this starts one emulator for all browser tests, which reach it by
// `inject('emulator')`. It is shared, so each test uses its own correlation values and event names.
import { startEmulator } from '@sluice/emulator';
import type { TestProject } from 'vitest/node';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emulator = await startEmulator({ primaryKey: 'email' });
  const { baseUrl, apiUrl, apiKey } = emulator;
  project.provide('emulator', { baseUrl, apiUrl, apiKey });
  return () => emulator.close();
}
