import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { numbered } from '../frames.ts';
import { type Life, Place } from '../place.ts';

const IDLE_MS = 10 * 60_000;
const SAVED = { segment: 1, from: 5, to: 10 };

let place: Place;
let fs: FailingFileSystem;
beforeEach(async () => {
  place = await Place.create();
  fs = new FailingFileSystem();
});
afterEach(() => {
  fs.heal();
  return place.remove();
});

/** Events 0 to 5 (exclusive) are synced. Those from 5 to 10 are in memory only: their sync failed, and no other file takes them. */
async function unsaved(): Promise<Life & { readonly lost: string }> {
  const life = await place.open({ fs });
  await life.journal.append(group(numbered(0, 5)));
  await life.journal.sync();
  await life.journal.append(group(numbered(5, 5)));
  const lost = await place.theSegment();
  fs.fail('sync', 'EIO', { times: Number.POSITIVE_INFINITY });
  await expect(life.journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
  return { ...life, lost };
}

/** Takes far more disk calls than any operation in these tests. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) await place.files('.segment');
}

describe('a file whose events were all saved in another one, and that cannot be removed', () => {
  it('is not read any more: the disk may have lost them', async () => {
    const { journal, witness } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    const lost = await place.theSegment();
    fs.fail('sync', 'EIO');
    fs.fail('remove', 'EPERM', { path: new RegExp(lost) });
    await journal.sync();
    await truncate(lost, 32);
    expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
    expect(witness.settlements).toEqual([]);
  });

  it('is not where releases go', async () => {
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    fs.fail('sync', 'EIO');
    fs.fail('remove', 'EPERM', { path: /\.segment$/ });
    await journal.sync();
    await journal.acknowledge({ ...range, to: 1 });
    expect(await place.inherited()).toEqual(numbered(1, 2));
  });
});

describe('events that are released while their segment is given up', () => {
  it('are not delivered again if its file cannot be removed', async () => {
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    await journal.sync();
    const letRemove = fs.hang('remove');
    fs.fail('remove', 'EPERM', { times: Number.POSITIVE_INFINITY, path: /\.segment$/ });
    const evicted = journal.evictOldest();
    await expect.poll(() => fs.hanging).toBe(1);
    await journal.acknowledge({ ...range, to: 2 });
    letRemove();
    await expect(evicted).rejects.toMatchObject({ code: 'EPERM' });
    expect(await readAll(journal, [{ ...range, from: 2 }])).toEqual(numbered(2, 1));
    expect(await place.inherited()).toEqual(numbered(2, 1));
  });
});

describe('an append that no file took in time', () => {
  it('does not come back where its files could not be removed', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    fs.fail('sync', 'EIO', { times: 2 });
    fs.fail('remove', 'EPERM', { times: 2, path: /\.segment$/ });
    await expect(journal.append(group(numbered(0, 3)))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(await place.inherited()).toEqual([]);
  });
});

describe('events in memory only', () => {
  it('are given up with their segment, also while they are saved: the next process does not find them', async () => {
    const { journal } = await unsaved();
    fs.heal();
    const letSync = fs.hang('sync');
    const synced = journal.sync();
    await expect.poll(() => fs.hanging).toBe(1);
    const evicted = journal.evictOldest();
    await aWhile();
    letSync();
    await synced;
    expect(await evicted).toBe(1);
    expect(journal.bytes).toBe(0);
    expect(await place.inherited()).toEqual([]);
  });

  it.each([
    ['is removed', rm],
    ['is cut', (path: string) => truncate(path, 40)],
  ])('stay where their file %s', async (_, lose) => {
    const { journal, lost } = await unsaved();
    await lose(lost);
    const looks = fs.count('list');
    await place.clock.advance(IDLE_MS);
    await expect.poll(() => fs.count('list')).toBeGreaterThan(looks);
    await aWhile();
    fs.heal();
    expect(await readAll(journal, [SAVED])).toEqual(numbered(5, 5));
    await journal.sync();
    await place.clock.advance(IDLE_MS);
    await aWhile();
    await journal.acknowledge({ ...SAVED, to: 6 });
    expect(await readAll(journal, [{ ...SAVED, from: 6 }])).toEqual(numbered(6, 4));
    expect(await place.inherited()).toEqual(numbered(6, 4));
  });

  it('are not missing where the file before them is damaged', async () => {
    const { journal, lost, witness } = await unsaved();
    const bytes = await readFile(lost);
    const frame = (bytes.length - 32) / 10;
    bytes[32 + 3 * frame - 1] = 0;
    await writeFile(lost, bytes.subarray(0, 32 + 5 * frame));
    const left = [0, 1, 3, 4, 5, 6, 7, 8, 9].flatMap((number) => numbered(number, 1));
    expect(await readAll(journal, [{ ...SAVED, from: 0 }])).toEqual(left);
    expect(witness.settlements).toEqual([{ range: { segment: 1, from: 2, to: 3 }, fate: 'damaged' }]);
    expect(journal.unsaved).toBe(5);
  });

  it('can be read until the file that they are saved in is closed, while others are written to a third one', async () => {
    let letCreate = () => {};
    const mayCreate = new Promise<void>((resolve) => {
      letCreate = resolve;
    });
    let letClose = () => {};
    const mayClose = new Promise<void>((resolve) => {
      letClose = resolve;
    });
    const create = fs.create.bind(fs);
    let isClosing = false;
    fs.create = async (path) => {
      if (path.endsWith('2.segment')) await mayCreate;
      const file = await create(path);
      const close = file.close.bind(file);
      if (path.endsWith('3.segment'))
        file.close = async () => {
          isClosing = true;
          await mayClose;
          await close();
        };
      return file;
    };
    const { journal } = await place.open({ fs, segmentBytes: 100 });
    const range = await journal.append(group(numbered(0, 5)));
    fs.fail('sync', 'EIO');
    const next = journal.append(group(numbered(5, 5)));
    try {
      await expect.poll(() => isClosing).toBe(true);
      letCreate();
      await expect.poll(() => fs.count('write', /2.segment$/)).toBe(2);
      expect(await readAll(journal, [range])).toEqual(numbered(0, 5));
    } finally {
      letCreate();
      letClose();
      await next;
    }
  });
});
