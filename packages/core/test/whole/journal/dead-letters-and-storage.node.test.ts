import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTracker } from '../../../src/index.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true }));

it('delivers all good events however many dead letters there are, with a small storage.maxBytes', async () => {
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory: directory },
    storage: { maxBytes: 1024 * 1024 },
    delivery: { classify: ({ body }) => JSON.parse(body) },
    transport: {
      async post({ body }) {
        const { batch } = JSON.parse(new TextDecoder().decode(body));
        const refused = [...batch.entries()].filter(([, { event }]) => event === 'bad');
        const answer = JSON.stringify(refused.map(([index]) => ({ index, reason: 'bad' })));
        return { kind: 'answered', status: 200, retryAfter: undefined, body: answer };
      },
      close: async () => {},
    },
  });
  const track = (name: string) =>
    tracker.track(name, { text: 'x'.repeat(10_000) }, { correlationValue: 'ada@example.com' });
  // Beside others that the service takes. In all, more than `storage.maxBytes`, and less than `deadLetters.maxBytes`.
  for (let round = 0; round < 30; round += 1) {
    for (const name of ['bad', 'bad', 'bad', 'bad', 'bad', 'good']) track(name);
    await tracker.flush();
  }
  const before = tracker.stats();
  for (let round = 0; round < 10; round += 1) {
    track('good');
    await tracker.flush();
  }
  const after = tracker.stats();
  await tracker.close();
  expect(after.delivered - before.delivered).toBe(10);
  expect(after.dropped['journal-full']).toBe(0);
});
