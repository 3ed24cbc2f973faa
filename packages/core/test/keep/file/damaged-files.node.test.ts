import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFull } from '../../../../../testing/full.ts';
import { DamagedFiles } from '../../../src/keep/file/damaged-files.ts';
import { nodeFileSystem } from '../../../src/keep/file/disk/node-file-system.ts';
import { FailingFileSystem } from '../../bench/failing-file-system.ts';
import { group, readAll } from '../../contracts/journal-contract.ts';
import { Place } from './place.ts';

const DAY_MS = 24 * 60 * 60_000;
const MIB = 1024 * 1024;
const LIVES = isFull ? 100 : 20;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

const damaged = () => readdir(join(place.directory, 'damaged')).catch((): string[] => []);

/** A process that ends, whose only segment is then damaged. */
async function leaveDamage(): Promise<void> {
  const { journal } = await place.open();
  await journal.append(group(['1', '2']));
  await journal.close();
  const path = await place.theSegment();
  await writeFile(path, 'x'.repeat(100), { flag: 'a' });
}

/** A process that takes over what is there, delivers it and ends. */
async function deliver(): Promise<void> {
  const { journal, witness } = await place.open();
  await readAll(journal, witness.ranges);
  for (const range of witness.ranges) await journal.acknowledge(range);
  await journal.close();
}

/** Sets files aside, each a day after the one before. */
async function setAside(sizes: readonly number[]) {
  const { clock, directory } = place;
  const failures: Error[] = [];
  const files = new DamagedFiles({
    ...{ root: directory, isPart: false, fs: nodeFileSystem, clock },
    observer: { recovered: () => {}, damaged: () => {}, failed: (error) => failures.push(error) },
  });
  const slot = join(directory, 'owner.origin');
  await mkdir(slot, { recursive: true, mode: 0o700 });
  for (const [number, size] of sizes.entries()) {
    const path = join(slot, `0000000${number}.segment`);
    await writeFile(path, Buffer.alloc(size));
    await files.setAside(path);
    await clock.advance(DAY_MS);
  }
  return { files, failures };
}

/** The numbers of the segments that are set aside. */
async function numbers(): Promise<number[]> {
  return (await damaged()).sort().map((name) => Number(name.match(/-origin-0000000(\d)\.damaged$/)?.[1]));
}

describe('damaged files', () => {
  it('of many processes do not pile up in their folders, but lie in one', async () => {
    for (let life = 0; life < LIVES; life += 1) {
      await leaveDamage();
      await deliver();
    }
    expect(await readdir(place.directory)).toEqual(['damaged']);
    const names = await damaged();
    expect(names).toHaveLength(LIVES);
    expect(names[0]).toMatch(/^2026-01-01T00-00-00.000Z-[0-9a-f]{16}-00000001\.damaged$/);
  });

  it('have all their bytes', async () => {
    await leaveDamage();
    const bytes = await readFile(await place.theSegment());
    await deliver();
    const [name = ''] = await damaged();
    expect(await readFile(join(place.directory, 'damaged', name))).toEqual(bytes);
  });

  it('are removed after 30 days, by who opens the journal', async () => {
    await leaveDamage();
    await deliver();
    await place.clock.advance(30 * DAY_MS);
    await deliver();
    expect(await damaged()).toHaveLength(1);
    await place.clock.advance(1);
    await deliver();
    expect(await damaged()).toEqual([]);
  });

  it('that are new stay for 30 days, however old their events are', async () => {
    await leaveDamage();
    await place.clock.advance(60 * DAY_MS);
    await deliver();
    expect(await damaged()).toHaveLength(1);
  });

  it('take 16 MiB at most: the oldest go when there is a new one', async () => {
    await setAside([5 * MIB, 6 * MIB, 5 * MIB]);
    expect(await numbers()).toEqual([0, 1, 2]);
    await setAside([1]);
    expect(await numbers()).toEqual([1, 2, 0]);
  });

  it('take few looks at their directory where there are many at once, and 16 MiB all the same', async () => {
    const { clock, directory } = place;
    const fs = new FailingFileSystem();
    const files = new DamagedFiles({ root: directory, isPart: false, fs, clock, observer: undefined });
    const slot = join(directory, 'owner.origin');
    await mkdir(slot, { mode: 0o700 });
    for (let number = 0; number < 25; number += 1) {
      const path = join(slot, `${10 + number}.segment`);
      await writeFile(path, Buffer.alloc(MIB));
      await files.setAside(path);
      await clock.advance(number < 16 ? 0 : 1_000);
      if (number === 15) expect(fs.count('list')).toBe(3);
    }
    const names = await damaged();
    expect(names).toHaveLength(16);
    expect(names.some((name) => name.endsWith('-origin-34.damaged'))).toBe(true);
  });

  it('have at least the newest, however large it is', async () => {
    await setAside([1, 17 * MIB]);
    expect(await numbers()).toEqual([1]);
  });

  it('make room for events, the oldest first, and no more than is needed', async () => {
    const { files } = await setAside([100, 100, 100, 100]);
    await files.tidy(101);
    expect(await numbers()).toEqual([2, 3]);
    await files.tidy(1);
    expect(await numbers()).toEqual([3]);
    await files.tidy(1_000);
    expect(await numbers()).toEqual([]);
  });

  it('go to no other directory, and remove nothing there, where a link is in the place of theirs', async () => {
    const elsewhere = join(place.directory, 'elsewhere');
    await mkdir(elsewhere, { mode: 0o700 });
    await writeFile(join(elsewhere, '2000-01-01-x-1.damaged'), 'old');
    await symlink(elsewhere, join(place.directory, 'damaged'));
    await leaveDamage();
    await expect(deliver()).rejects.toThrow('damaged is a link: remove it');
    expect(await readdir(elsewhere)).toEqual(['2000-01-01-x-1.damaged']);
  });

  it('leave other files alone', async () => {
    const { files } = await setAside([100]);
    const other = join(place.directory, 'damaged', 'notes.txt');
    await writeFile(other, 'mine');
    await files.tidy(1_000);
    expect(await damaged()).toEqual(['notes.txt']);
  });

  it('that somebody took away leave nothing behind once their events are released', async () => {
    await leaveDamage();
    const { journal, witness } = await place.open();
    await rename(await place.theSegment(), join(place.directory, 'to look at'));
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect(journal.bytes).toBe(0);
    await journal.close();
    expect(await readdir(place.directory)).toEqual(['to look at']);
  });

  it('that cannot be set aside stay where they are, and no event of them is delivered again', async () => {
    await leaveDamage();
    const fs = new FailingFileSystem();
    fs.fail('rename', 'EACCES', { path: /\.segment$/, times: Number.POSITIVE_INFINITY });
    const { journal, witness } = await place.open({ fs });
    for (const range of witness.ranges) await journal.acknowledge(range).catch(() => undefined);
    await journal.close();
    const { witness: next } = await place.open();
    expect(next.ranges).toEqual([]);
    expect(await damaged()).toHaveLength(1);
  });
});
