import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTracker, type Tracker, type Transport } from '@sluice/core';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { onTestFinished } from 'vitest';
import type { Environment } from './sluice-process.ts';

export const API_KEY = 'canary-key-4711';

/** An empty folder for one test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The service, and the environment of a command that uses it. */
export async function startService(): Promise<{ emulator: Emulator; env: Environment }> {
  const emulator = await startEmulator({ primaryKey: 'email', apiKey: API_KEY });
  onTestFinished(() => emulator.close());
  return {
    emulator,
    env: {
      SLUICE_BASE_URL: emulator.baseUrl,
      SLUICE_CORRELATION_KEY: 'email',
      SLUICE_API_KEY: API_KEY,
    },
  };
}

/** What each event has, if not the usual. */
interface LeftEvent {
  readonly uuid?: string;
  readonly payload?: object;
}

/** A transport without a network. */
export const unreachable: Transport = {
  post: async () => ({ kind: 'failed', cause: new Error('no network'), maybeSent: false }),
  close: async () => {},
};

/** A tracker that tries to send nothing for an hour, with events in its journal. */
export async function fillJournal(
  journalDirectory: string,
  events: number,
  { uuid, payload = {} }: LeftEvent = {},
): Promise<Tracker> {
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory },
    ...{ logger: false, transport: unreachable, batch: { maxWaitMs: 3_600_000 } },
  });
  for (let total = 0; total < events; total += 1)
    tracker.track('purchase', { total, ...payload }, { correlationValue: 'ada@example.com', uuid });
  await tracker.durable();
  return tracker;
}

/** Leaves events in a journal, as a process that ended without a network. */
export async function leaveEvents(journalDirectory: string, events: number, each?: LeftEvent): Promise<void> {
  const tracker = await fillJournal(journalDirectory, events, each);
  await tracker.close({ timeoutMs: 0 });
}

/** Leaves three dead letters. */
export async function leaveLetters(journalDirectory: string, { baseUrl, apiKey }: Emulator): Promise<void> {
  const tracker = createTracker({
    ...{ baseUrl, apiKey, correlationKey: 'email', journalDirectory, logger: false },
    // The service takes the last one.
    delivery: { classify: () => [0, 1, 2].map((index) => ({ index, reason: `no ${index}` })) },
  });
  for (const name of ['purchase', 'purchase', 'refund', 'login'])
    tracker.track(name, { total: 1 }, { correlationValue: 'ada@example.com' });
  await tracker.flush();
  await tracker.close();
}
