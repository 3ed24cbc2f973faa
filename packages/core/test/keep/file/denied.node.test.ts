import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { createTracker } from '../../../src/index.ts';
import type { Transport } from '../../../src/send/http/transport.ts';

/** Answers only when the request is given up. */
const hanging: Transport = {
  post: ({ signal }) =>
    new Promise((resolve) => {
      const outcome = { kind: 'failed', cause: undefined, maybeSent: true } as const;
      signal.addEventListener('abort', () => resolve(outcome));
    }),
  close: async () => {},
};

it.each([
  ['waits', 500, 0],
  ['is in a request', 1, 1],
])('a denial of consent deletes what %s from the disk, too', async (_, maxEvents, inFlight) => {
  const journalDirectory = await mkdtemp(join(tmpdir(), 'sluice-denied-'));
  const holders = async () => {
    const names = await readdir(journalDirectory, { recursive: true, withFileTypes: true });
    const files = names
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
    return texts.filter((text) => text.includes('ada@example.com')).length;
  };
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory, logger: false },
    batch: { maxEvents, maxWaitMs: 3_600_000 },
    transport: hanging,
  });
  tracker.track('purchase', { total: 1 }, { correlationValue: 'ada@example.com' });
  await tracker.durable();
  expect(await holders()).toBe(1);
  await vi.waitFor(() => expect(tracker.stats().inFlight).toBe(inFlight), PATIENCE);
  tracker.setConsent('denied');
  await vi.waitFor(async () => expect(await holders()).toBe(0), PATIENCE);
  await tracker.close({ timeoutMs: 0 });
  expect(tracker.stats()).toMatchObject({ pending: 0, dropped: { denied: 1, closed: 0 } });
  await rm(journalDirectory, { recursive: true });
});
