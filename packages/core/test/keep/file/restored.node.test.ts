import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { createTracker, type Tracker } from '../../../src/index.ts';
import { FailingFileSystem } from '../../bench/failing-file-system.ts';
import { failed, ScriptedTransport } from '../../bench/scripted-transport.ts';
import { group, readAll, Witness } from '../../contracts/journal-contract.ts';
import { numbered } from './frames.ts';
import { MortalLocks, Place } from './place.ts';

const BUSY_MS = 20_000;
const IDLE_MS = 10 * 60_000;

let place: Place;
/** Where a backup was made. */
let backup: Place;
beforeEach(async () => {
  [place, backup] = [await Place.create(), await Place.create()];
});
afterEach(() => Promise.all([place.remove(), backup.remove()]));

class Listener extends Witness {
  readonly gone: Range[] = [];

  vanished(range: Range): void {
    this.gone.push(range);
  }
}

/** Copies a directory with all that is in it, but for locks. */
const copy = (from: string, to: string, force = true) =>
  cp(from, to, { recursive: true, force, filter: (path) => !path.endsWith('.lock') });

/** Ways to copy files over others. */
const WAYS: Record<string, (from: string, to: string) => Promise<void>> = {
  // As cp does.
  'in place': async (from, to) => {
    for (const name of await readdir(from, { recursive: true })) {
      if ((await stat(join(from, name))).isFile())
        await writeFile(join(to, name), await readFile(join(from, name)));
    }
  },
  // As rsync does.
  'by new files': copy,
};

/** Restores into the place what a process left in the backup. */
async function restoreSlot(texts: readonly string[]): Promise<void> {
  const { journal } = await backup.open();
  await journal.append(group(texts));
  await journal.close();
  await copy(backup.directory, place.directory);
}

describe('a backup that somebody restores', () => {
  it('under the name that the next file of a process would have, is found once', async () => {
    const { journal, witness } = await place.open();
    await journal.append(group(['"own"']));
    const [own = ''] = await place.files('.segment');
    await restoreSlot(['"restored"']);
    const [restored = ''] = (await place.files('.segment')).filter((path) => path !== own);
    await rename(restored, join(own, '..', '00000003.segment'));
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.ranges).toHaveLength(1);
    // Its current file is too old now.
    await place.clock.advance(60 * 60_000);
    await journal.append(group(['"next"']));
    for (const path of await backup.files('.segment')) await rm(path);
    await restoreSlot(['"another"']);
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.ranges.length).toBeGreaterThan(1);
    await journal.sync();
    expect((await readAll(journal, witness.ranges)).sort()).toEqual(['"another"', '"restored"']);
  });

  it('into the directory of a process that is alone and idle, is found within ten minutes', async () => {
    const { journal, witness } = await place.open();
    await restoreSlot(['"restored"']);
    await place.clock.advance(IDLE_MS - 1);
    expect(witness.ranges).toEqual([]);
    await place.clock.advance(1);
    await expect.poll(() => witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(['"restored"']);
  });

  it('into the directory of a process that tracks, is found with the first event after 20 s', async () => {
    const { journal, witness } = await place.open();
    await journal.append(group(['1']));
    await restoreSlot(['"restored"']);
    await place.clock.advance(BUSY_MS);
    await journal.append(group(['2']));
    await expect.poll(() => witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(['"restored"']);
  });

  it('where there was no directory, is found by a process that has tracked nothing', async () => {
    await rm(place.directory, { recursive: true });
    const { journal, witness } = await place.open();
    await restoreSlot(['"restored"']);
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(['"restored"']);
  });

  it('as more files in the own directory of a process that lives, is found, and no file of it twice', async () => {
    const { journal, witness } = await place.open({ segmentBytes: 100 });
    const texts = numbered(0, 4, 'p'.repeat(100));
    const ranges = [];
    for (const text of texts) ranges.push(await journal.append(group([text])));
    await copy(place.directory, backup.directory);
    for (const range of ranges.slice(0, 2)) await journal.acknowledge(range);
    await expect.poll(() => place.files('.segment')).toHaveLength(2);
    await copy(backup.directory, place.directory, false);
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.ranges).toHaveLength(2);
    await place.clock.advance(IDLE_MS);
    expect(witness.ranges).toHaveLength(2);
    expect(await readAll(journal, witness.ranges)).toEqual(texts.slice(0, 2));
    expect(await readAll(journal, ranges.slice(2))).toEqual(texts.slice(2));
    for (const range of [...witness.ranges, ...ranges]) await journal.acknowledge(range);
    expect(witness.failures).toEqual([]);
    expect(await place.inherited()).toEqual([]);
  });

  it('takes no file that is just being written, or deleted, for a restored one', async () => {
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs, segmentBytes: 100 });
    for (let round = 0; round < 20; round += 1) {
      const resume = fs.hang(round % 2 === 0 ? 'write' : 'remove');
      const appended = journal.append(group(numbered(round, 1, 'p'.repeat(100))));
      await place.clock.advance(IDLE_MS);
      resume();
      await journal.acknowledge(await appended);
    }
    await journal.sync();
    expect([witness.ranges, witness.failures, witness.damages]).toEqual([[], [], []]);
  });
});

describe('older files that somebody copies over those of a process that lives', () => {
  it.for(Object.entries(WAYS))(
    '%s, are noticed by the next sync, and what they lack is told',
    async ([, copyOver]) => {
      const journal = place.create();
      const witness = new Listener();
      await journal.open(witness);
      const first = await journal.append(group(['1', '2']));
      await journal.sync();
      await copy(place.directory, backup.directory);
      const second = await journal.append(group(['3', '4']));
      await journal.sync();
      await copyOver(backup.directory, place.directory);
      const third = await journal.append(group(['5']));
      await journal.sync();
      expect(String(witness.failures[0])).toMatch(/somebody (cut|removed)/);
      expect(witness.gone).toEqual([second]);
      expect(await readAll(journal, [first, third])).toEqual(['1', '2', '5']);
      expect(await place.inherited()).toEqual(['1', '2', '5']);
    },
  );

  it('are noticed with the next look where the process writes nothing more', async () => {
    const journal = place.create();
    const witness = new Listener();
    await journal.open(witness);
    const first = await journal.append(group(['1']));
    await journal.sync();
    const { size } = await stat(await place.theSegment());
    const second = await journal.append(group(['2']));
    await journal.sync();
    await truncate(await place.theSegment(), size);
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.gone).toEqual([second]);
    expect(await readAll(journal, [first])).toEqual(['1']);
  });

  it('are noticed with the next look where the process writes to another file by now', async () => {
    const journal = place.create({ segmentBytes: 200 });
    const witness = new Listener();
    await journal.open(witness);
    const pad = 'p'.repeat(100);
    const ranges = [];
    for (const text of numbered(0, 3, pad)) ranges.push(await journal.append(group([text])));
    await journal.sync();
    const [path = ''] = await place.files('00000001.segment');
    await truncate(path, 100);
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => witness.gone).toHaveLength(1);
    expect(witness.gone[0]).toMatchObject({ segment: 1, from: 0 });
    expect(await readAll(journal, ranges.slice(-1))).toEqual(numbered(2, 1, pad));
  });
});

describe('a tracker', () => {
  const trackers: Tracker[] = [];
  afterEach(async () => {
    for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  });

  /** A tracker whose service is down, and its failures of storage. */
  function start() {
    const transport = new ScriptedTransport(systemClock);
    transport.respond = () => failed(false);
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email' },
      ...{ journalDirectory: place.directory, transport },
    });
    trackers.push(tracker);
    const failures: string[] = [];
    tracker.on('storageFailed', ({ error }) => failures.push(String(error)));
    let number = 0;
    const track = async (count: number) => {
      for (const end = number + count; number < end; number += 1)
        tracker.track('purchase', { number }, { correlationValue: 'ada' });
      await tracker.durable();
    };
    return { tracker, failures, track };
  }

  /** The numbers of the events that a process would find if the tracker's process were killed now. */
  async function left(): Promise<number[]> {
    const killed = await Place.create();
    await copy(place.directory, killed.directory);
    const { journal, witness } = await killed.open({ locks: new MortalLocks() });
    const texts = await readAll(journal, witness.ranges);
    await killed.remove();
    return texts.map((text) => JSON.parse(text).payload.number).sort((one, other) => one - other);
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

  it.for(Object.entries(WAYS))(
    'over whose files older ones are copied %s writes again what was durable',
    async ([, copyOver]) => {
      const { track, failures } = start();
      await track(50);
      await copy(place.directory, backup.directory);
      await track(50);
      await copyOver(backup.directory, place.directory);
      await track(1);
      expect(failures.join()).toMatch(/somebody (cut|removed)/);
      expect(await left()).toEqual(numbers(101));
    },
  );

  it('whose whole directory is replaced by an older copy has written again what was durable', async () => {
    const { track, failures } = start();
    await track(50);
    await copy(place.directory, backup.directory);
    await track(50);
    const old = `${backup.directory}-old`;
    await rename(place.directory, old);
    await mkdir(place.directory, { mode: 0o700 });
    await copy(backup.directory, place.directory);
    await track(1);
    expect(failures.join()).toContain('somebody removed');
    // The tracker may notice the removal before the copy is there: then it has written the first events twice.
    expect([...new Set(await left())]).toEqual(numbers(101));
    await rm(old, { recursive: true });
  });
});
