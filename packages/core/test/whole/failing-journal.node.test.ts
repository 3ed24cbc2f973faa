import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { createTracker } from '../../src/entries/testing/testing.ts';
import { FileJournal } from '../../src/keep/file/file-journal.ts';
import { Bench, sorted, textsOf } from '../bench/bench.ts';
import { FailingFileSystem } from '../bench/failing-file-system.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { ScriptedTransport } from '../bench/scripted-transport.ts';

it('stored events that cannot be read do not hold up what waits for its retry, once the service is back', async () => {
  const journal = new FakeJournal();
  await journal.leave(textsOf([100, 101, 102]));
  const read = journal.read.bind(journal);
  // A file of a previous process is on a bad sector.
  journal.read = async (range, limit) => {
    if (range.from < 3) throw new Error('EIO');
    return read(range, limit);
  };
  const bench = new Bench({ journal });
  bench.answer(() => 503);
  await bench.track(3);
  await bench.pass(120_000);
  bench.answer(() => 200);
  await bench.pass(20 * 60_000, 1_000);
  expect(sorted(bench.taken)).toEqual([0, 1, 2]);
});

it('a journal whose acknowledge() throws at once, as one on a synchronous database, loses no event from the books', async () => {
  const journal = new FakeJournal();
  const { acknowledge } = journal;
  let isBusy = true;
  journal.acknowledge = (range) => {
    if (isBusy) throw new Error('SQLITE_BUSY');
    return acknowledge.call(journal, range);
  };
  const bench = new Bench({ journal });
  await bench.track(3);
  await bench.pass(1_000);
  isBusy = false;
  await bench.track(3);
  await bench.pass(60_000);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 6, pending: 0 });
});

async function textIn(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const segments = names.filter((name) => name.endsWith('.segment'));
  return (await Promise.all(segments.map((name) => readFile(join(directory, name), 'latin1')))).join('');
}

it.each([
  ['unordered', 'high'],
  ['per-customer', 'normal'],
  ['per-customer', 'high'],
  ['strict', 'high'],
] as const)('an event is written while the journal still opens: %s, %s', async (ordering, priority) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  const fs = new FailingFileSystem();
  const release = fs.hang('list');
  const journal = new FileJournal({ directory, fsync: 'interval', clock: systemClock, fs });
  const transport = new ScriptedTransport(systemClock);
  const options = { baseUrl: 'http://service.example', apiKey: 'key', correlationKey: 'email' };
  const tracker = createTracker({ ...options, journal, transport, ordering, logger: false });
  tracker.track('purchase', {}, { correlationValue: 'ada@example.com', priority });
  await expect.poll(() => textIn(directory)).toContain('purchase');
  release();
  await tracker.close();
  await rm(directory, { recursive: true });
});
