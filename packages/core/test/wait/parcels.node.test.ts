import { afterEach, beforeEach, expect, it } from 'vitest';
import { platform } from '#platform';
import { allOf } from '../../src/base/range.ts';
import type { FileJournal } from '../../src/keep/file/file-journal.ts';
import { readOptions } from '../../src/options/settings.ts';
import { learn } from '../../src/parts/learn/learn.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import { Waiting } from '../../src/wait/waiting.ts';
import { FailingFileSystem } from '../bench/failing-file-system.ts';
import { textWriter } from '../bench/text-writer.ts';
import { group } from '../contracts/journal-contract.ts';
import { Place } from '../keep/file/place.ts';

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** A journal whose only file has two events that wait, apart from each other. Its tracker copies both before the file is given up. */
async function createScene(): Promise<{
  fs: FailingFileSystem;
  journal: FileJournal;
  giveUp: () => Promise<unknown>;
}> {
  const { clock } = place;
  const fs = new FailingFileSystem();
  const { journal } = await place.open({ fs });
  const settings = readOptions(
    { baseUrl: 'https://example.com', correlationKey: 'email' },
    { ...platform, clock, random: () => 1 },
  );
  const reporter = new Reporter(new Books(), clock);
  const waiting = new Waiting({
    ...{ settings, journal, text: textWriter, clock, random: () => 1, reporter },
    ...{ limits: learn(reporter, settings.batch), opened: async () => {}, isShut: () => false },
    ...{ onDue: () => {}, onFailed: () => {}, onRecovered: () => {} },
  });
  const range = await journal.append(group(['"first"', '"delivered"', '"last"']));
  const [first, delivered, last] = [0, 1, 2].map((at) => ({ ...range, from: at, to: at + 1 }));
  if (!first || !delivered || !last) throw new Error('three events were expected');
  await journal.acknowledge(delivered);
  for (const one of [first, last]) waiting.recovered(one);
  const giveUp = () =>
    journal.evictOldest(async (segment) => void (await waiting.rescue(allOf(segment), true)));
  return { fs, journal, giveUp };
}

it('what was copied of a file is not in it any more for the next process, though the disk became full then', async () => {
  const { fs, journal, giveUp } = await createScene();
  const append = journal.append.bind(journal);
  journal.append = async (events) => {
    const range = await append(events);
    for (const operation of ['create', 'write'] as const)
      fs.fail(operation, 'ENOSPC', { times: 1_000, path: /\.segment$/ });
    return range;
  };
  await expect(giveUp()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
  fs.heal();
  expect((await place.inherited()).sort()).toEqual(['"first"', '"last"']);
});

it('what was copied of a file is not in it any more for the next process, though it could not be deleted then', async () => {
  const { fs, giveUp } = await createScene();
  fs.fail('remove', 'EBUSY', { times: 1_000, path: /\.segment$/ });
  await giveUp().catch(() => undefined);
  fs.heal();
  expect((await place.inherited()).sort()).toEqual(['"first"', '"last"']);
});
