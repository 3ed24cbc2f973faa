import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { createTracker } from '../../../src/index.ts';
import { FileJournal } from '../../../src/keep/file/file-journal.ts';
import { group, readAll, Witness } from '../../contracts/journal-contract.ts';

const cwd = process.cwd();
let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  for (const name of ['one', 'two']) await mkdir(join(directory, name));
  process.chdir(join(directory, 'one'));
});
afterEach(async () => {
  process.chdir(cwd);
  await rm(directory, { recursive: true });
});

describe('a process that changes its working directory', () => {
  it('reads what its journal in a relative directory has, and writes nowhere else', async () => {
    const journal = new FileJournal({ directory: 'journal', fsync: 'always', clock: new VirtualClock() });
    const witness = new Witness();
    await journal.open(witness);
    const range = await journal.append(group(['"event 0"', '"event 1"']));
    process.chdir(join(directory, 'two'));
    expect(await readAll(journal, [range])).toEqual(['"event 0"', '"event 1"']);
    await journal.append(group(['"event 2"']));
    await journal.close();
    expect(await readdir(join(directory, 'two'))).toEqual([]);
  });

  it('finds the dead letters of its tracker', async () => {
    const options = { baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory: 'journal' };
    const transport = {
      post: async () => ({ kind: 'answered' as const, status: 200, retryAfter: undefined, body: '' }),
      close: async () => {},
    };
    let isFirst = true;
    const first = createTracker({
      ...{ ...options, transport },
      // One of two.
      delivery: { classify: () => (isFirst ? [{ index: 0, reason: 'refused' }] : []) },
    });
    for (const name of ['refused', 'taken']) first.track(name, {}, { correlationValue: 'ada@example.com' });
    await first.flush();
    isFirst = false;
    expect(await first.deadLetters.count()).toBe(1);
    await first.close();

    const next = createTracker({ ...options, transport });
    process.chdir(join(directory, 'two'));
    expect(await next.deadLetters.count()).toBe(1);
    await next.close();
  });
});
