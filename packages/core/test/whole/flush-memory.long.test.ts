import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { afterAll, expect, it } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createTracker, type TrackerOptions } from '../../src/index.ts';
import { hang, ScriptedTransport } from '../bench/scripted-transport.ts';

const AT_ONCE = 1_000;
/** Promises that the test runner itself may make meanwhile. */
const FEW = 1_000;

const directory = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(directory, { recursive: true }));

const transport = new ScriptedTransport(new VirtualClock());
transport.respond = hang;

/** Number of promises in memory, counted after a garbage collection. */
const countPromises = () => queryObjects(Promise, { format: 'count' });

it.each<[string, Partial<TrackerOptions>, waiting: number, flushes: number]>([
  ['has nothing to send, in memory', { journal: 'memory' }, 0, isFull ? 10_000 : 3_000],
  ['has nothing to send, with a journal of files', { journalDirectory: directory }, 0, 3_000],
  ['waits for an answer that does not come', { journal: 'memory', transport }, 1, 3_000],
])(
  'a flush leaves nothing in memory when it ends, where the tracker %s',
  async (_, options, waiting, flushes) => {
    const tracker = createTracker({
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', apiKey: 'key' },
      ...options,
    });
    if (waiting > 0) tracker.track('waits', {}, { correlationValue: 'ada@example.com' });
    const flush = async () => {
      const flushes = Array.from({ length: AT_ONCE }, () => tracker.flush({ timeoutMs: 0 }));
      const [report] = await Promise.all(flushes);
      expect(report).toMatchObject({ pending: waiting });
    };
    // From here on the journal is open.
    await tracker.flush({ timeoutMs: waiting > 0 ? 0 : 60_000 });
    await flush();
    const before = countPromises();
    for (let made = 0; made < flushes; made += AT_ONCE) await flush();
    expect(countPromises() - before).toBeLessThan(FEW);
    await tracker.close({ timeoutMs: 0 });
  },
);
