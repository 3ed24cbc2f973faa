import { readFile, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Range } from '../../../../src/base/range.ts';
import { FRAME_HEADER_BYTES } from '../../../../src/keep/file/format/frame.ts';
import type { Locks } from '../../../../src/keep/file/slots/system-locks.ts';
import type { Journal } from '../../../../src/keep/journal.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { numbered } from '../frames.ts';
import { type Life, MortalLocks, Place } from '../place.ts';

const SEGMENT = /\.segment$/;
const EVERY = { times: Number.POSITIVE_INFINITY };

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

/** A journal with events 0 to 5 (exclusive) synced, and 5 to 10 (exclusive) written. */
async function half(): Promise<Life> {
  const life = await place.open({ fs });
  await life.journal.append(group(numbered(0, 5)));
  await life.journal.sync();
  await life.journal.append(group(numbered(5, 5)));
  return life;
}

/** Takes far more disk calls than any operation in these tests. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await place.files('.segment');
}

const ALL = { segment: 1, from: 0, to: 10 };

describe('a sync that fails', () => {
  it('has the events that it was to save written to a new file, under the same ranges', async () => {
    const { journal, witness } = await half();
    const [lost = ''] = await place.files('.segment');
    const { length } = await readFile(lost);
    fs.fail('sync', 'EIO');
    await journal.sync();
    expect(witness.failures).toEqual([
      expect.objectContaining({ code: 'SLUICE_STORAGE', message: expect.stringContaining(lost) }),
    ]);
    expect(await readAll(journal, [ALL])).toEqual(numbered(0, 10));
    expect(await readAll(journal, [{ ...ALL, from: 7 }])).toEqual(numbered(7, 3));
    expect(await place.files('.segment')).toHaveLength(2);
    expect((await readFile(lost)).length).toBe(length);
  });

  it('does not keep what is appended after it from being synced in time', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    await journal.sync();
    await journal.append(group(numbered(10, 1)));
    const before = fs.count('sync', SEGMENT);
    await place.clock.advance(100);
    await expect.poll(() => fs.count('sync', SEGMENT)).toBe(before + 1);
  });

  it('is never tried again on the same file: the next one may say that all is well', async () => {
    const { journal } = await half();
    const [lost = ''] = await place.files('.segment');
    fs.fail('sync', 'EIO');
    await journal.sync();
    await journal.append(group(['"more"']));
    await journal.sync();
    await journal.close();
    expect(fs.count('sync', new RegExp(lost))).toBe(2);
  });

  it.each([
    ['the file holds them all the same', undefined],
    ['the disk lost them', 32 + 5 * (FRAME_HEADER_BYTES + '{"number":0,"pad":""}'.length)],
  ])('gives each event to the next life once, where %s', async (_, size) => {
    const { journal } = await half();
    const [lost = ''] = await place.files('.segment');
    fs.fail('sync', 'EIO');
    await journal.sync();
    await journal.close();
    if (size !== undefined) await truncate(lost, size);
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });

  it('is made good also where nothing before it was ever synced', async () => {
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    const [lost] = await place.files('.segment');
    fs.fail('sync', 'EIO');
    await journal.sync();
    expect(await place.files('.segment')).not.toContain(lost);
    expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
    for (const text of numbered(0, 3)) expect(await place.inherited()).toContain(text);
  });

  it('gives the events also to a reader that was about to open the old file when that was removed', async () => {
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    const open = fs.hang('openToRead');
    const reading = readAll(journal, [range]);
    fs.fail('sync', 'EIO');
    await journal.sync();
    open();
    expect(await reading).toEqual(numbered(0, 3));
  });

  it('does not bring back what was delivered, before it or since', async () => {
    const { journal } = await half();
    await journal.acknowledge({ ...ALL, from: 4, to: 6 });
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await journal.acknowledge({ ...ALL, from: 8, to: 9 });
    fs.heal();
    await journal.sync();
    await journal.acknowledge({ ...ALL, from: 0, to: 1 });
    expect((await place.inherited()).sort()).toEqual([1, 2, 3, 6, 7, 9].flatMap((n) => numbered(n, 1)));
  });

  it('leaves no file once all is delivered, in one range over both files', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    await journal.sync();
    await journal.acknowledge(ALL);
    expect([await place.files('.segment'), await place.files('.acks')]).toEqual([[], []]);
    expect(journal.bytes).toBe(0);
    await journal.append(group(['"and on"']));
    expect(await place.inherited()).toEqual(['"and on"']);
  });

  it('leaves nothing unreleased in the second file where the first one cannot note what is', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    await journal.sync();
    fs.fail('write', 'ENOSPC', { path: /\.acks$/ });
    await expect(journal.acknowledge({ ...ALL, from: 1 })).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await journal.acknowledge({ ...ALL, to: 1 });
    await expect.poll(() => journal.bytes).toBe(0);
    expect(await place.inherited()).toEqual([]);
  });

  it('is made good by the timer of its own', async () => {
    const { journal, witness } = await half();
    fs.fail('sync', 'EIO');
    await place.clock.advance(100);
    await expect.poll(() => fs.count('create', SEGMENT)).toBe(2);
    await expect.poll(() => fs.count('write', /\.acks$/)).toBe(1);
    expect(witness.failures).toHaveLength(1);
    await journal.close();
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });

  it.each([
    ['by whoever asks for a sync', (journal: Journal) => journal.sync()],
    ['when the journal is closed', (journal: Journal) => journal.close()],
  ])('is waited for while it is made good, %s', async (_, ask) => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    fs.hang('close');
    await place.clock.advance(100);
    await expect.poll(() => fs.hanging).toBe(1);
    let isDone = false;
    const asked = ask(journal).then(() => {
      isDone = true;
    });
    await aWhile();
    expect(isDone).toBe(false);
    fs.heal();
    await asked;
    expect(await place.files('.segment')).toHaveLength(2);
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });
});

describe('a sync under way', () => {
  it('is waited for when the journal is closed, with all that it still saves', async () => {
    const { journal } = await place.open({ fs });
    await journal.append(group(numbered(0, 5)));
    const letSync = fs.hang('sync');
    const synced = journal.sync();
    // A sync that began later would take the next events too.
    await expect.poll(() => fs.hanging).toBe(1);
    await journal.append(group(numbered(5, 5)));
    // This sync succeeds. The sync at the end fails, and so does the attempt to save its events in a new file.
    fs.fail('sync', 'EIO', { after: 1 });
    fs.fail('create', 'ENOSPC');
    const letCreate = fs.hang('create');
    let isClosed = false;
    const closed = journal.close().then(() => {
      isClosed = true;
    });
    await aWhile();
    letSync();
    await expect.poll(() => fs.count('sync', SEGMENT)).toBe(2);
    await expect.poll(() => fs.hanging).toBe(1);
    letCreate();
    fs.hang('create');
    await expect.poll(() => fs.count('create', SEGMENT)).toBe(2);
    await expect.poll(() => fs.hanging).toBe(1);
    await aWhile();
    expect(isClosed).toBe(false);
    fs.heal();
    await Promise.all([synced, closed]);
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });

  it('says of no event that it is durable whose file is gone, though another file has later ones', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    await journal.append(group(numbered(0, 1)));
    const letFirst = fs.hang('sync');
    // One write for both. The sync of the first one makes both durable; the second one waits for the next sync.
    const [first, second] = [journal.append(group(numbered(1, 1))), journal.append(group(numbered(2, 1)))];
    await expect.poll(() => fs.hanging).toBe(1);
    const third = journal.append(group(numbered(3, 1)));
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(4);
    letFirst();
    const letSecond = fs.hang('sync');
    await first;
    await expect.poll(() => fs.hanging).toBe(1);
    const [path = ''] = await place.files('.segment');
    await rm(dirname(path), { recursive: true });
    letSecond();
    await expect(second).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await third;
    expect(await place.inherited()).toEqual(numbered(3, 1));
  });

  it.each([
    ['resolves', 0],
    ['rejects where that fails', Number.POSITIVE_INFINITY],
  ])('that is asked for while the journal is closed is the last one, and %s', async (_, times) => {
    const { journal } = await half();
    fs.fail('sync', 'EIO', { times });
    const closed = journal.close();
    const [{ status }] = await Promise.allSettled([journal.sync(), closed]);
    expect(status).toBe(times === 0 ? 'fulfilled' : 'rejected');
    const { length } = fs.calls;
    await aWhile();
    expect(fs.calls).toHaveLength(length);
  });
});

describe('events of appendSync(), where the process goes on', () => {
  it('go to the new file too if the next sync fails, between those before and after them', async () => {
    const { journal, witness } = await place.open({ fs });
    await journal.append(group(numbered(0, 2)));
    journal.appendSync(group(numbered(2, 2)));
    await journal.append(group(numbered(4, 2)));
    fs.fail('sync', 'EIO');
    await journal.sync();
    expect(await readAll(journal, [{ ...ALL, to: 6 }])).toEqual(numbered(0, 6));
    expect(witness.settlements).toEqual([]);
    expect(await place.inherited()).toEqual(numbered(0, 6));
  });

  it('do not make others count as synced that are written during a sync', async () => {
    const { journal } = await place.open({ fs });
    await journal.append(group(numbered(0, 1)));
    const letSync = fs.hang('sync');
    const synced = journal.sync();
    await expect.poll(() => fs.hanging).toBe(1);
    await journal.append(group(numbered(1, 1)));
    journal.appendSync(group(numbered(2, 1)));
    await journal.append(group(numbered(3, 1)));
    letSync();
    await synced;
    fs.fail('sync', 'EIO');
    const lost = await place.theSegment();
    await journal.sync();
    await expect.poll(() => place.theSegment()).not.toBe(lost);
    expect(await place.inherited()).toEqual(numbered(0, 4));
  });

  it('that cannot be synced leave the file untrusted: no sync is tried on it again, and what it holds goes to another', async () => {
    const { journal, witness } = await half();
    const [lost = ''] = await place.files('.segment');
    fs.fail('syncSync', 'EIO');
    expect(() => journal.appendSync(group(['"late"']))).toThrow('EIO');
    const again = journal.appendSync(group(['"late"']));
    expect(again.segment).not.toBe(ALL.segment);
    const syncs = fs.count('sync', new RegExp(lost));
    await journal.sync();
    await journal.append(group(['"later"']));
    await journal.close();
    expect([fs.count('sync', new RegExp(lost)), fs.count('syncSync', new RegExp(lost))]).toEqual([syncs, 1]);
    expect(witness.failures).toEqual([expect.objectContaining({ message: expect.stringContaining(lost) })]);
    expect((await place.inherited()).sort()).toEqual(['"late"', '"later"', ...numbered(0, 10)]);
  });

  it('that cannot be synced are taken by the append that comes next, also where a sync was under way, and are there once', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    await journal.append(group(numbered(0, 1)));
    const letSync = fs.hang('sync');
    const pending = Promise.allSettled([1, 2].map((number) => journal.append(group(numbered(number, 1)))));
    await expect.poll(() => fs.hanging).toBe(1);
    journal.appendSync(group(numbered(1, 1)));
    fs.fail('syncSync', 'EIO');
    expect(() => journal.appendSync(group(numbered(2, 1)))).toThrow('EIO');
    letSync();
    expect((await pending).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const ranges = [await journal.append(group(numbered(2, 1))), await journal.append(group(numbered(3, 1)))];
    expect(await readAll(journal, ranges)).toEqual(numbered(2, 2));
    expect((await place.inherited()).sort()).toEqual(numbered(0, 4));
  });

  it('are not found by this process as those of another one where only a part of them was written', async () => {
    const { journal, witness } = await place.open({ fs });
    fs.longestWrite = 200;
    fs.fail('writeSync', 'ENOSPC', { after: 1 });
    expect(() => journal.appendSync(group(numbered(0, 20)))).toThrow('ENOSPC');
    const range = await journal.append(group(numbered(0, 20)));
    const looks = fs.count('list');
    await place.clock.advance(10 * 60_000);
    await expect.poll(() => fs.count('list')).toBeGreaterThan(looks);
    await aWhile();
    expect([witness.ranges, witness.damages]).toEqual([[], []]);
    expect(await readAll(journal, [range])).toEqual(numbered(0, 20));
  });
});

describe('a disk that fails again and again', () => {
  it('has its events readable from memory meanwhile, also a part of them and those before them', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    fs.fail('read', 'EIO', EVERY);
    expect(await readAll(journal, [{ ...ALL, from: 5 }])).toEqual(numbered(5, 5));
    expect(await readAll(journal, [{ ...ALL, from: 6, to: 8 }], { maxEvents: 1, maxBytes: 5 })).toEqual(
      numbered(6, 2),
    );
    fs.heal();
    expect(await readAll(journal, [ALL])).toEqual(numbered(0, 10));
  });

  it('takes no more events until those are safe, and takes them then', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await expect(journal.append(group(['"no"']))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    fs.heal();
    await journal.append(group(['"yes"']));
    expect((await place.inherited()).sort()).toEqual(['"yes"', ...numbered(0, 10)].sort());
  });

  it('leaves no half of a new file behind where it fails in the middle of it', async () => {
    const { journal } = await half();
    const before = await place.files('.segment');
    fs.fail('sync', 'EIO');
    fs.fail('write', 'ENOSPC', { ...EVERY, path: SEGMENT });
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(await place.files('.segment')).toEqual(before);
  });

  it('gives them to the next life where they were never saved, and the file still has them', async () => {
    const { journal, witness } = await half();
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await journal.close();
    expect(witness.failures.length).toBeGreaterThan(0);
    fs.heal();
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });
});

describe('with fsync always', () => {
  it('a sync that fails is not seen by whoever appends, if another file takes the events', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    fs.fail('sync', 'EIO');
    const range = await journal.append(group(numbered(0, 3)));
    expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
    expect((await place.inherited()).sort()).toEqual(numbered(0, 3));
  });

  it('an append rejects where its events may not survive a power cut, and nothing of it comes back', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    await journal.append(group(numbered(0, 3)));
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.append(group(numbered(3, 3)))).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('power cut'),
    });
    fs.heal();
    await journal.append(group(numbered(6, 3)));
    expect((await place.inherited()).sort()).toEqual([...numbered(0, 3), ...numbered(6, 3)]);
  });

  it('appends under way end in the order in which they were called, also where a sync between them fails', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    const release = fs.hang('sync');
    fs.fail('sync', 'EIO');
    const ends: number[] = [];
    const append = async (number: number): Promise<Range> => {
      const range = await journal.append(group(numbered(number, 1)));
      ends.push(number);
      return range;
    };
    const first = append(0);
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(2);
    const second = append(1);
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(3);
    release();
    const ranges = await Promise.all([first, second]);
    expect(ends).toEqual([0, 1]);
    expect(await readAll(journal, ranges)).toEqual(numbered(0, 2));
    expect((await place.inherited()).sort()).toEqual(numbered(0, 2));
  });

  it('an append is taken only once its own events are saved, also while those of another file are', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    fs.fail('sync', 'EIO', { times: 2 });
    const letClose = fs.hang('close');
    const first = journal.append(group(numbered(0, 1)));
    await expect.poll(() => fs.hanging).toBe(1);
    const second = journal.append(group(numbered(1, 1)));
    await expect.poll(() => fs.hanging).toBe(2);
    letClose();
    await second;
    expect(journal.unsaved).toBe(0);
    await first;
    expect((await place.inherited()).sort()).toEqual(numbered(0, 2));
  });

  it('an append that is written while a sync fails is not taken on the word of the next sync of that file', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    // Until its name survives too, the file is not closed.
    const letName = fs.hang('syncDirectory');
    const letSync = fs.hang('sync');
    const first = journal.append(group(numbered(0, 1)));
    await expect.poll(() => fs.hanging).toBe(2);
    const letWrite = fs.hang('write');
    const second = journal.append(group(numbered(1, 1)));
    await expect.poll(() => fs.hanging).toBe(3);
    const ends = Promise.allSettled([first, second]);
    // Only the first sync fails. But no other file takes the events.
    fs.fail('sync', 'EIO');
    fs.fail('create', 'ENOSPC', EVERY);
    letSync();
    await expect.poll(() => fs.count('sync', SEGMENT)).toBe(1);
    await aWhile();
    letWrite();
    await aWhile();
    letName();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(fs.count('sync', SEGMENT)).toBe(1);
  });

  /**
   * Appends of events 0, 1 and 2. The first two are written at once, and the first sync is for both. But the second append waits
   * for the next sync, which is for the third, and fails.
   */
  async function three(
    locks?: Locks,
  ): Promise<{ journal: Journal; appends: Promise<Range>[]; release: () => void }> {
    const { journal } = await place.open({ fs, fsync: 'always', ...(locks && { locks }) });
    const release = fs.hang('sync');
    const appends = [0, 1].map((index) => journal.append(group(numbered(index, 1))));
    await expect.poll(() => fs.hanging).toBe(1);
    appends.push(journal.append(group(numbered(2, 1))));
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(3);
    // Until it is written, and has asked for its sync.
    await aWhile();
    fs.fail('sync', 'EIO', { after: 1, path: SEGMENT });
    return { journal, appends, release };
  }

  it('events that were synced before it stay, though their append still waits for that sync', async () => {
    const { journal, appends, release } = await three();
    release();
    const [first, ...others] = appends;
    if (first) await journal.acknowledge(await first);
    expect(await readAll(journal, await Promise.all(others))).toEqual(numbered(1, 2));
    expect((await place.inherited()).sort()).toEqual(numbered(1, 2));
  });

  it('events that were synced before it stay, though it fails while somebody still looks after their lock', async () => {
    let found = (_isInPlace: boolean) => {};
    const look = new Promise<boolean>((resolve) => {
      found = resolve;
    });
    const locks = new MortalLocks();
    const hold: Locks['hold'] = locks.hold.bind(locks);
    let isOpened = false;
    locks.hold = async (...of) => ({ ...(await hold(...of)), isInPlace: async () => !isOpened || look });
    const { journal, appends, release } = await three(locks);
    isOpened = true;
    fs.fail('create', 'ENOSPC', EVERY);
    const [first, ...others] = appends;
    const ends = Promise.allSettled(others);
    release();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    found(true);
    await first;
    fs.heal();
    // The caller still has the others.
    await journal.append(group(numbered(1, 2)));
    expect((await place.inherited()).sort()).toEqual(numbered(0, 3));
  });

  it('events that were synced before it are not stored twice where no other file takes the rest', async () => {
    const { journal, appends, release } = await three();
    fs.fail('create', 'ENOSPC', EVERY);
    const ends = Promise.allSettled(appends);
    release();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    fs.heal();
    // The caller still has them.
    await journal.append(group(numbered(1, 2)));
    expect((await place.inherited()).sort()).toEqual(numbered(0, 3));
  });

  it('no append under way is taken where the sync of those before it failed for good', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    const release = fs.hang('sync');
    fs.fail('sync', 'EIO', EVERY);
    const first = journal.append(group(numbered(0, 1)));
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(2);
    const ends = Promise.allSettled([first, journal.append(group(numbered(1, 1)))]);
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(3);
    release();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fs.heal();
    await journal.append(group(['"after"']));
    expect(await place.inherited()).toEqual(['"after"']);
  });
});

describe('evictOldest', () => {
  it('gives up both files of a segment whose end was saved, by the name that its ranges have', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    await journal.sync();
    const later = await journal.append(group(['"later"']));
    expect(await journal.evictOldest()).toBe(1);
    expect(await readAll(journal, [ALL])).toEqual([]);
    expect(await readAll(journal, [later])).toEqual(['"later"']);
    expect(await place.files('.segment')).toHaveLength(1);
  });

  it('gives up nothing where the file cannot be deleted: whoever comes next finds all that waits', async () => {
    const { journal } = await half();
    await journal.acknowledge({ ...ALL, to: 1 });
    fs.fail('remove', 'EROFS');
    await expect(journal.evictOldest()).rejects.toThrow('EROFS');
    expect(await readAll(journal, [{ ...ALL, from: 1 }])).toEqual(numbered(1, 9));
    expect(await place.inherited()).toEqual(numbered(1, 9));
  });

  it('gives up nothing of what is in memory alone either where its file cannot be deleted', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    fs.fail('remove', 'EROFS');
    await expect(journal.evictOldest()).rejects.toThrow('EROFS');
    expect(journal.unsaved).toBe(5);
    expect((await place.inherited()).sort()).toEqual(numbered(0, 10).sort());
  });

  it('gives up all of a segment whose end was saved, also where only one of its files can be deleted', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO');
    await journal.sync();
    fs.fail('remove', 'EROFS', { after: 1, path: SEGMENT });
    expect(await journal.evictOldest()).toBe(1);
    expect(await place.files('.segment')).toHaveLength(1);
    expect(await place.inherited()).toEqual([]);
  });

  it('lets go of what is in memory alone', async () => {
    const { journal } = await half();
    fs.fail('sync', 'EIO', EVERY);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(await journal.evictOldest()).toBe(1);
    fs.heal();
    await journal.append(group(['"later"']));
    expect(await place.inherited()).toEqual(['"later"']);
  });
});
