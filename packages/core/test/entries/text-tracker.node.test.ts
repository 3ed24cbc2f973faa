import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '@sluice/emulator';
import { expect, it, onTestFinished } from 'vitest';
import { createTextTracker } from '../../src/entries/text-tracker.ts';

const textOf = (fields: object = {}) =>
  JSON.stringify({
    event: 'a',
    correlationKey: 'email',
    correlationValue: 'ada',
    source: 'custom',
    ...fields,
  });

async function start(options: object = {}) {
  const emulator = await startEmulator({ primaryKey: 'email' });
  const journalDirectory = await mkdtemp(join(tmpdir(), 'sluice-text-'));
  const { baseUrl, apiKey } = emulator;
  const made = createTextTracker({ baseUrl, apiKey, correlationKey: 'email', journalDirectory, ...options });
  onTestFinished(async () => {
    await made.tracker.close({ timeoutMs: 0 });
    await emulator.close();
    await rm(journalDirectory, { recursive: true });
  });
  return { ...made, emulator };
}

it('takes the text of an event as it is, beside the events of track()', async () => {
  const { accept, emulator, tracker } = await start();
  const fields = { uuid: '3f0c1f6e-0000-4000-8000-00000000000a', payload: { of: 'a page' } };
  accept(textOf(fields), 'ada');
  tracker.track('b', {}, { correlationValue: 'ada' });
  await tracker.durable();
  await tracker.flush();
  expect(tracker.stats()).toMatchObject({ accepted: 2, delivered: 2, invalid: 0 });
  const [first] = await emulator.waitForEvents(2);
  expect(JSON.stringify(first?.event)).toBe(textOf(fields));
});

it('throws for a text that is too large, and takes none of it', async () => {
  const { accept, tracker } = await start({ maxEventBytes: 100 });
  expect(() => accept(textOf({ payload: { text: 'x'.repeat(100) } }), 'ada')).toThrow(
    expect.objectContaining({ code: 'SLUICE_INVALID_EVENT' }),
  );
  expect(tracker.stats()).toMatchObject({ accepted: 0, pending: 0 });
});

it('drops a text for which there is no room, and says so before it returns', async () => {
  const { accept, tracker } = await start({ buffer: { maxEvents: 1 } });
  const reasons: string[] = [];
  tracker.on('dropped', ({ reason }) => reasons.push(reason));
  accept(textOf(), 'ada');
  accept(textOf(), 'ada');
  expect(reasons).toEqual(['buffer-full']);
});

it('each tracker has its own road', async () => {
  const [one, other] = [await start(), await start()];
  one.accept(textOf(), 'ada');
  expect([one.tracker.stats().accepted, other.tracker.stats().accepted]).toEqual([1, 0]);
});
