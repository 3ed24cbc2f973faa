import { effect } from '@preact/signals';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EventRows } from '../../pages/tracker/list/event-rows.ts';
import { startEmulator } from '../../src/index.ts';
import { event, sendEvents } from '../service.ts';

it('asks for the rows that are wanted, though others have only just come', async () => {
  await using emulator = await startEmulator({ primaryKey: 'email' });
  await sendEvents(emulator, ...Array.from({ length: 200 }, () => event()));
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => fetch(emulator.apiUrl + path, init));
  onTestFinished(() => void vi.unstubAllGlobals());
  const rows = new EventRows({});
  rows.want(0, 10);
  // Like a page that goes to an event as soon as it knows its index.
  effect(() => {
    if (!rows.isNew) queueMicrotask(() => rows.want(150, 160));
  });
  await rows.renew(200);
  await expect.poll(() => rows.row(150)?.id).toBe(50);
  rows.close();
});
