import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTracker, type Transport } from '../../../src/index.ts';

it('what was held, and sent once its customer was known, is not found again by the next process', async () => {
  const journalDirectory = await mkdtemp(join(tmpdir(), 'sluice-held-'));
  const received: string[] = [];
  const transport: Transport = {
    async post({ body }) {
      const { batch }: { batch: { uuid: string }[] } = JSON.parse(new TextDecoder().decode(body));
      received.push(...batch.map(({ uuid }) => uuid));
      return { kind: 'answered', status: 200, retryAfter: undefined, body: '' };
    },
    close: async () => {},
  };
  const open = () =>
    createTracker({
      ...{ baseUrl: 'http://service.test', correlationKey: 'email', journalDirectory, transport },
      ...{ logger: false, unidentified: { hold: true } },
    });
  const first = open();
  for (let n = 0; n < 3; n += 1) first.track('seen', { n });
  await first.durable();
  first.identify('ada@example.com');
  expect(await first.flush()).toMatchObject({ delivered: 3, pending: 0 });
  await first.close();
  const second = open();
  second.identify('ada@example.com');
  second.track('seen', { n: 3 });
  await second.flush();
  expect(second.stats()).toMatchObject({ recovered: 0, delivered: 1, pending: 0 });
  await second.close();
  expect([received.length, new Set(received).size]).toEqual([4, 4]);
  await rm(journalDirectory, { recursive: true });
});
