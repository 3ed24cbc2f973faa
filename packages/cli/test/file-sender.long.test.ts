import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTracker } from '@sluice/core';
import { expect, it } from 'vitest';
import { EventMapping } from '../src/send/event-mapping.ts';
import type { FileRecord } from '../src/send/file-record.ts';
import { FileSender } from '../src/send/file-sender.ts';
import { Rejects } from '../src/send/rejects.ts';
import { START } from '../src/send/sending.ts';

const MIB = 1024 * 1024;
const MOST = 200;

it('reads no more of large records than half of the journal takes, while the service does not answer', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  const journalBytes = 8 * MIB;
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false },
    journalDirectory: join(directory, 'journal'),
    transport: { post: () => new Promise(() => {}), close: async () => {} },
    storage: { maxBytes: journalBytes },
  });
  const over = new AbortController();
  let read = 0;
  async function* records(): AsyncGenerator<FileRecord> {
    for (const text = 'x'.repeat(0.15 * MIB); read < MOST; read += 1)
      yield { number: read + 1, value: { event: 'e', correlationValue: 'ada', payload: { text } }, text };
  }
  const sender = new FileSender(
    {
      ...{ tracker, mapping: new EventMapping({}, 'email', false), signal: over.signal, journalBytes },
      ...{
        rejects: new Rejects({ path: join(directory, 'rejects'), bytes: 0, isShared: false, mostText: 100 }),
        resume: undefined,
        known: new Set(),
      },
    },
    START,
  );
  const running = sender.run(records());
  let before = 0;
  const isStill = () => {
    const isSame = read > 0 && read === before;
    before = read;
    return isSame;
  };
  await expect.poll(isStill, { interval: 300, timeout: 10_000 }).toBe(true);
  over.abort();
  await running;
  expect(tracker.stats().dropped['journal-full']).toBe(0);
  expect(read).toBeLessThan(MOST);
  await tracker.close({ timeoutMs: 0 });
  await rm(directory, { recursive: true });
});
