import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileJournal } from '../../../src/keep/file/file-journal.ts';
import { FRAME_HEADER_BYTES } from '../../../src/keep/file/format/frame.ts';
import { FailingFileSystem, type Operation } from '../../bench/failing-file-system.ts';
import { SkewedClock } from '../../bench/skewed-clock.ts';
import { describeJournal, group, readAll, Witness } from '../../contracts/journal-contract.ts';
import { failEach } from './failing-operations.ts';
import { numbered } from './frames.ts';
import { MortalLocks, Place } from './place.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const clock = systemClock;

for (const fsync of ['always', 'interval', 'never'] as const) {
  describeJournal(`FileJournal with fsync ${fsync}`, {
    create: (place) => new FileJournal({ directory: join(scratch, place), fsync, clock }),
    survives: true,
  });
}

describe('FileJournal', () => {
  let directory = '';

  beforeEach(async () => {
    directory = await mkdtemp(join(scratch, 'place-'));
  });

  function create(segmentBytes?: number): FileJournal {
    return new FileJournal({ directory, fsync: 'interval', clock, ...(segmentBytes && { segmentBytes }) });
  }

  async function open(journal = create()): Promise<{ journal: FileJournal; witness: Witness }> {
    const witness = new Witness();
    await journal.open(witness);
    return { journal, witness };
  }

  /** Leaves what an earlier process leaves that appends these groups and ends. */
  async function leave(groups: string[][], segmentBytes?: number): Promise<void> {
    const { journal } = await open(create(segmentBytes));
    for (const texts of groups) await journal.append(group(texts));
    await journal.close();
  }

  async function files(suffix: string): Promise<string[]> {
    const names = await readdir(directory, { recursive: true });
    return names.filter((name) => name.endsWith(suffix)).map((name) => join(directory, name));
  }

  async function theSegment(): Promise<string> {
    const [path, ...others] = await files('.segment');
    if (path === undefined || others.length > 0) throw new Error('there is not exactly one segment');
    return path;
  }

  it('follows a full segment with a new one, and deletes a segment once all of it is released', async () => {
    const { journal } = await open(create(1_000));
    const ranges = [];
    for (let number = 0; number < 10; number += 1)
      ranges.push(await journal.append(group(['"x"'.repeat(1), `"${'y'.repeat(400)}"`])));
    expect((await files('.segment')).length).toBeGreaterThan(3);
    expect(new Set(ranges.map((range) => range.segment)).size).toBeGreaterThan(3);
    for (const range of ranges) await journal.acknowledge(range);
    // A segment that is still being synced is removed as soon as the sync ends.
    await expect.poll(async () => (await files('.segment')).length).toBeLessThanOrEqual(1);
    await journal.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('makes its directories for the user alone, and its files too', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['1', '2']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    for (const name of await readdir(directory, { recursive: true })) {
      const entry = await stat(join(directory, name));
      expect(entry.mode & 0o777, name).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
    await journal.close();
  });

  it('delivers every event but the one in which a bit flipped, and keeps the damaged file aside', async () => {
    const events = Array.from({ length: 20 }, (_, number) => JSON.stringify({ number }));
    await leave([events]);
    const path = await theSegment();
    const bytes = await readFile(path);
    const at = bytes.indexOf('{"number":7}') + 5;
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    await writeFile(path, bytes);

    const { journal, witness } = await open();
    expect(await readAll(journal, witness.ranges)).toEqual(events.filter((_, number) => number !== 7));
    expect(witness.damages).toEqual([
      { place: expect.stringContaining('.segment'), bytes: FRAME_HEADER_BYTES + 12 },
    ]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    await journal.close();
    expect(await files('.damaged')).toHaveLength(1);
    expect(await files('.segment')).toEqual([]);
  });

  it('acknowledges by number, so that a damaged event before others does not shift what was released', async () => {
    const events = Array.from({ length: 6 }, (_, number) => JSON.stringify({ number }));
    const { journal } = await open();
    const range = await journal.append(group(events));
    await journal.acknowledge({ ...range, to: range.from + 3 });
    await journal.close();
    const path = await theSegment();
    const bytes = await readFile(path);
    bytes.fill(0, 32, 32 + 20);
    await writeFile(path, bytes);

    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(events.slice(3));
    await second.journal.close();
  });

  it('keeps what waits of a segment whose end is gone, though what was released of that end is known', async () => {
    const events = Array.from({ length: 10 }, (_, number) => JSON.stringify({ number }));
    const { journal } = await open();
    const range = await journal.append(group(events));
    await journal.acknowledge({ ...range, from: range.from + 3 });
    await journal.close();
    const path = await theSegment();
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.indexOf('{"number":5}') - FRAME_HEADER_BYTES));

    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(events.slice(0, 3));
    await second.journal.close();
    expect(await files('.segment')).toHaveLength(1);
  });

  it('reads the acknowledgements behind one that was cut short', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['0', '1', '2', '3']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    const [acks = ''] = await files('.acks');
    await writeFile(acks, Buffer.concat([await readFile(acks), Buffer.from([1, 2, 3, 4, 5])]));
    await journal.acknowledge({ ...range, from: range.from + 1, to: range.from + 2 });
    await journal.close();
    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(['2', '3']);
    await second.journal.close();
  });

  it('says of a segment that somebody deleted that nothing of it can be read', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['1', '2']));
    await rm(await theSegment());
    expect(await readAll(journal, [range])).toEqual([]);
    await journal.close();
  });

  it('leaves to the living what is theirs when it is closed while it opens', async () => {
    directory = join(directory, 'd'.repeat(100));
    const living = await Promise.all([open(), open(), open()]);
    const ranges = await Promise.all(
      living.map(({ journal }, life) => journal.append(group([`"life ${life}"`]))),
    );
    for (let round = 0; round < 20; round += 1) {
      const hasty = create();
      const opening = hasty.open(new Witness());
      await hasty.close();
      await opening.catch(() => undefined);
    }
    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    for (const [life, { journal }] of living.entries()) {
      expect(await readAll(journal, ranges.slice(life, life + 1))).toEqual([`"life ${life}"`]);
      await journal.close();
    }
    await journal.close();
  });

  it('accepts an empty segment, as a power cut leaves them', async () => {
    await leave([['1']]);
    await writeFile(await theSegment(), '');
    const { journal, witness } = await open();
    expect(witness).toMatchObject({ ranges: [], damages: [], failures: [] });
    await journal.close();
    expect(await files('.segment')).toEqual([]);
  });

  it('leaves foreign files and segments of another version where they are, sets aside what is no segment, and says so', async () => {
    await leave([['1']]);
    const path = await theSegment();
    const bytes = await readFile(path);
    bytes[8] = 3;
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
    await writeFile(path, bytes);
    await writeFile(join(path, '..', 'notes.txt'), 'mine');
    await writeFile(join(path, '..', '99999999.segment'), 'not a segment');
    await mkdir(join(directory, 'somebody'), { mode: 0o700 });

    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    expect(witness.failures.map((error) => error.message)).toEqual([
      expect.stringContaining('another version'),
    ]);
    expect(witness.damages).toEqual([{ place: expect.stringContaining('99999999.segment'), bytes: 13 }]);
    await journal.close();
    expect(await files('.segment')).toHaveLength(1);
    expect(await files('.damaged')).toHaveLength(1);
    expect(await files('notes.txt')).toHaveLength(1);
    expect(await readdir(directory)).toContain('somebody');
  });

  it('follows no symbolic link', async () => {
    await leave([['1']]);
    const path = await theSegment();
    const elsewhere = join(scratch, 'elsewhere.segment');
    await writeFile(elsewhere, await readFile(path));
    await rm(path);
    await symlink(elsewhere, path);
    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    await journal.close();
  });

  it('rejects where it cannot be opened, says where and why, and works once the cause is gone', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const journal = new FileJournal({ directory: join(file, 'journal'), fsync: 'never', clock });
    const error = { code: 'SLUICE_STORAGE', message: expect.stringContaining('a-file') };
    await expect(journal.open(new Witness())).rejects.toMatchObject(error);
    await expect(journal.append(group(['1']))).rejects.toMatchObject(error);
    await rm(file);
    const range = await journal.append(group(['1']));
    expect(await readAll(journal, [range])).toEqual(['1']);
    await journal.close();
  });

  it('works in a directory whose path is too long for a socket', async () => {
    directory = join(directory, 'd'.repeat(100), 'e'.repeat(100));
    await leave([['1', '2']]);
    const { journal, witness } = await open();
    expect(await readAll(journal, witness.ranges)).toEqual(['1', '2']);
    await journal.close();
  });

  it('writes at once, on this thread, when asked to', async () => {
    const { journal } = await open();
    const first = await journal.append(group(['1']));
    expect(journal.appendSync(group(['2', '3']))).toEqual({ ...first, from: 1, to: 3 });
    await journal.close();
    const unopened = create();
    unopened.appendSync(group(['4']));
    const { journal: heir, witness } = await open();
    expect((await readAll(heir, witness.ranges)).sort()).toEqual(['1', '2', '3', '4']);
    await heir.close();
    await chmod(directory, 0o700);
  });

  it('hands each orphan to exactly one of many that open at once', async () => {
    for (let life = 0; life < 5; life += 1) await leave([[`"life ${life}"`]]);
    const heirs = await Promise.all(Array.from({ length: 8 }, () => open()));
    const found = await Promise.all(heirs.map(({ journal, witness }) => readAll(journal, witness.ranges)));
    expect(found.flat().sort()).toEqual([0, 1, 2, 3, 4].map((life) => `"life ${life}"`));
    for (const { journal } of heirs) await journal.close();
  });
});

describe('FileJournal, on a disk that a test watches', () => {
  const SEGMENT = /\.segment$/;
  let place: Place;
  let fs: FailingFileSystem;
  beforeEach(async () => {
    place = await Place.create();
    fs = new FailingFileSystem();
  });
  afterEach(() => place.remove());

  it('begins a new segment where one has become too large, and none before', async () => {
    const { journal } = await place.open({ segmentBytes: 1_000 });
    const groups = Array.from({ length: 8 }, (_, number) => numbered(number, 1, 'p'.repeat(260)));
    const ranges = [];
    for (const texts of groups) ranges.push(await journal.append(group(texts)));
    expect(ranges.map(({ segment }) => segment)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
    expect(await readAll(journal, ranges)).toEqual(groups.flat());
  });

  it('makes its segments small enough for the bound that it is kept within', async () => {
    const { journal } = await place.open({ maxBytes: 80_000 });
    expect(journal.groupLimit.maxBytes).toBe(10_000);
    const segments = new Set<number>();
    for (let number = 0; number < 10; number += 1)
      segments.add((await journal.append(group(numbered(number, 1, 'p'.repeat(5_000))))).segment);
    expect(segments.size).toBe(5);
  });

  it('makes its segments small enough for a small disk', async () => {
    fs.volumeIs = { totalBytes: 10_000 };
    const { journal } = await place.open({ fs });
    const segments = new Set<number>();
    for (let number = 0; number < 10; number += 1)
      segments.add((await journal.append(group(numbered(number, 1, 'p'.repeat(500))))).segment);
    expect(segments.size).toBeGreaterThan(2);
  });

  it('begins a new segment after an hour, and where the clock was set back', async () => {
    const { journal } = await place.open();
    const segments = [];
    for (const ms of [0, 60 * 60_000 - 1, 1]) {
      await place.clock.advance(ms);
      segments.push((await journal.append(group(['1']))).segment);
    }
    expect(segments).toEqual([1, 1, 2]);
    const skewed = { now: () => now, setTimeout: place.clock.setTimeout.bind(place.clock) };
    let now = place.clock.now();
    const { journal: other } = await place.open({ clock: skewed });
    const first = await other.append(group(['1']));
    now -= 60_000;
    expect((await other.append(group(['2']))).segment).toBe(first.segment + 1);
  });

  it('writes old events to one segment, and keeps their ages', async () => {
    const { journal } = await place.open();
    const now = place.clock.now();
    const times = [now, now - 3 * 60 * 60_000, now - 2 * 60 * 60_000, now, 1_000, now];
    const segments = [];
    for (const time of times) {
      const range = await journal.append({ ...group(['1']), times: Float64Array.of(time) });
      segments.push(range.segment);
    }
    expect(segments).toEqual([1, 2, 2, 2, 3, 4]);
    await journal.close();
    const next = await place.open();
    const limit = { maxEvents: 9, maxBytes: 9_999 };
    const found = await Promise.all(next.witness.ranges.map((range) => next.journal.read(range, limit)));
    expect(found.flatMap(({ events }) => [...(events.times ?? [])])).toEqual(times);
  });

  it.each([2, 8])(
    'tells what a dead process left in its order, though the clock was set back: %i files',
    async (files) => {
      const clock = new SkewedClock(place.clock);
      const { journal } = await place.open({ clock });
      const texts = numbered(0, files);
      for (const text of texts) {
        await journal.append(group([text]));
        clock.skewMs -= 60_000;
      }
      expect(await place.files('.segment')).toHaveLength(files);
      expect(await place.inherited()).toEqual(texts);
    },
  );

  it('says how many bytes its segments take', async () => {
    const { journal } = await place.open({ segmentBytes: 500 });
    for (let number = 0; number < 5; number += 1) await journal.append(group(numbered(number, 3, 'pad')));
    const sizes = await Promise.all(
      (await place.files('.segment')).map(async (path) => (await stat(path)).size),
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(journal.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });

  it('writes the next group while one is synced, and syncs one file once at a time', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    const release = fs.hang('sync');
    const first = journal.append(group(numbered(0, 1)));
    // The header, and the group.
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(2);
    const others = [1, 2].map((number) => journal.append(group(numbered(number, 1))));
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(3);
    expect(fs.syncs).toBe(1);
    release();
    await Promise.all([first, ...others]);
    expect([fs.mostSyncs, fs.count('sync', SEGMENT)]).toEqual([1, 2]);
  });

  it('writes the groups that wait for the same turn with one call, and gives each its own range', async () => {
    const { journal } = await place.open({ fs });
    const groups = [numbered(0, 2), numbered(2, 1), numbered(3, 4)];
    const ranges = await Promise.all(groups.map((texts) => journal.append(group(texts))));
    expect(fs.count('write', SEGMENT)).toBe(2);
    for (const [index, range] of ranges.entries())
      expect(await readAll(journal, [range])).toEqual(groups[index]);
    expect(await place.inherited()).toEqual(numbered(0, 7));
  });

  it('writes at most 512 KiB of them with one call', async () => {
    const { journal } = await place.open({ fs });
    const groups = [0, 1, 2, 3].map((number) => numbered(number, 1, 'p'.repeat(200 * 1024)));
    const ranges = await Promise.all(groups.map((texts) => journal.append(group(texts))));
    // The header, and two groups each time.
    expect(fs.count('write', SEGMENT)).toBe(3);
    expect(await readAll(journal, ranges)).toEqual(groups.flat());
  });

  it('writes to a new file what it could not write with one call, and rejects all of it if that fails too', async () => {
    const { journal } = await place.open({ fs });
    await journal.append(group(['"before"']));
    fs.fail('write', 'EIO');
    const again = await Promise.all([0, 1].map((number) => journal.append(group(numbered(number, 1)))));
    expect(await readAll(journal, again)).toEqual(numbered(0, 2));
    fs.fail('write', 'EIO', { times: 2 });
    const lost = await Promise.allSettled(['"a"', '"b"'].map((text) => journal.append(group([text]))));
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await place.inherited()).sort()).toEqual(['"before"', ...numbered(0, 2)].sort());
  });

  it('counts nothing as written with fsync always before it is synced', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    const release = fs.hang('sync');
    let isDone = false;
    const append = journal.append(group(['1'])).then(() => {
      isDone = true;
    });
    await expect.poll(() => fs.syncs).toBe(1);
    expect(isDone).toBe(false);
    release();
    await append;
  });

  it('syncs with fsync interval after 100 ms, or at once where a mebibyte is not', async () => {
    const { journal } = await place.open({ fs });
    await journal.append(group(['1']));
    await journal.append(group(['2']));
    await place.clock.advance(99);
    expect(fs.count('sync', SEGMENT)).toBe(0);
    await place.clock.advance(1);
    await expect.poll(() => fs.count('sync', SEGMENT)).toBe(1);
    await journal.append(group([JSON.stringify('x'.repeat(1024 * 1024))]));
    await expect.poll(() => fs.count('sync', SEGMENT)).toBe(2);
    // Only that of the next look.
    expect(place.clock.timers).toBe(1);
  });

  it('syncs no file with fsync never', async () => {
    const { journal } = await place.open({ fs, fsync: 'never' });
    await journal.append(group(['1']));
    await journal.sync();
    await journal.close();
    expect([fs.count('sync'), place.clock.timers]).toEqual([0, 0]);
  });

  it('goes on in a new place where somebody removed its directory, and loses nothing that it had to sync', async () => {
    const { journal, witness } = await place.open({ fs });
    const first = await journal.append(group(['"before"']));
    await rm(place.directory, { recursive: true });
    await journal.sync();
    expect(witness.failures).toHaveLength(1);
    const second = await journal.append(group(['"after"']));
    expect(await readAll(journal, [first, second])).toEqual(['"before"', '"after"']);
    expect((await place.inherited()).sort()).toEqual(['"after"', '"before"']);
  });

  it('notices at the next sync that somebody removed its file, and writes the events again', async () => {
    const { journal, witness } = await place.open({ fs });
    const range = await journal.append(group(['1', '2']));
    await rm(await place.theSegment());
    await journal.sync();
    expect(witness.failures).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('somebody removed, moved or replaced the file'),
      }),
    ]);
    expect(await readAll(journal, [range])).toEqual(['1', '2']);
    expect((await place.inherited()).sort()).toEqual(['1', '2']);
  });

  it('cuts a group off again that it could not write as a whole, and writes it to a new segment', async () => {
    const { journal } = await place.open({ fs });
    await journal.append(group(['"one"']));
    const [first = ''] = await place.files('.segment');
    const { size } = await stat(first);
    fs.longestWrite = 10;
    fs.fail('write', 'ENOSPC', { after: 1, path: SEGMENT });
    const range = await journal.append(group(['"two"', '"three"']));
    expect((await stat(first)).size).toBe(size);
    expect(range).toMatchObject({ segment: 2, from: 0, to: 2 });
    expect((await place.inherited()).sort()).toEqual(['"one"', '"three"', '"two"']);
  });

  it('writes all of a group on a disk that takes it in small pieces', async () => {
    fs.longestWrite = 7;
    const { journal } = await place.open({ fs });
    await journal.append(group(numbered(0, 20)));
    expect(await place.inherited()).toEqual(numbered(0, 20));
  });

  it('gives up its oldest segment whole, also the one that it writes to, and goes on in a new one', async () => {
    const { journal } = await place.open({ segmentBytes: 100 });
    expect(await journal.evictOldest()).toBeUndefined();
    const ranges = [];
    for (const text of ['"one"', '"two"']) {
      ranges.push(await journal.append(group([text, JSON.stringify('p'.repeat(100))])));
      await place.clock.advance(1);
    }
    expect(await journal.evictOldest()).toBe(1);
    expect(await readAll(journal, ranges.slice(0, 1))).toEqual([]);
    expect(await journal.evictOldest()).toBe(2);
    expect([journal.bytes, await place.files('.segment')]).toEqual([0, []]);
    const range = await journal.append(group(['"three"']));
    expect(await readAll(journal, [range])).toEqual(['"three"']);
    // Ranges that were given out before are still acknowledged by their owner.
    for (const range of ranges) await journal.acknowledge(range);
    expect(await place.inherited()).toEqual(['"three"']);
  });

  it('gives up what earlier lives left before what it wrote itself', async () => {
    const first = await place.open();
    await first.journal.append(group(['"old"']));
    await first.journal.close();
    await place.clock.advance(1_000);
    const { journal, witness } = await place.open();
    const range = await journal.append(group(['"new"']));
    expect(await journal.evictOldest()).toBe(witness.ranges[0]?.segment);
    expect(await readAll(journal, [...witness.ranges, range])).toEqual(['"new"']);
  });

  it('takes appends that are called while it gives up a segment', async () => {
    const { journal } = await place.open();
    const { segment } = await journal.append(group(['"before"']));
    const evicted = journal.evictOldest();
    const after = journal.append(group(['"after"']));
    let isDone = false;
    const all = Promise.all([evicted, after]).then(() => {
      isDone = true;
    });
    await expect.poll(() => isDone).toBe(true);
    await all;
    expect(await evicted).toBe(segment);
    expect(await place.inherited()).toEqual(['"after"']);
  });

  it('is closed though appends are under way, and they end', async () => {
    const { journal } = await place.open({ fs, fsync: 'always' });
    const appends = [0, 1, 2].map((number) => journal.append(group(numbered(number, 1))));
    await journal.close();
    await Promise.all(appends);
    expect(await place.inherited()).toEqual(numbered(0, 3));
  });
});

describe('FileJournal, at the last moment of its process', () => {
  const SEGMENT = /\.segment$/;
  let place: Place;
  let fs: FailingFileSystem;
  let locks: MortalLocks;
  beforeEach(async () => {
    place = await Place.create();
    fs = new FailingFileSystem();
    locks = new MortalLocks();
  });
  afterEach(() => {
    fs.heal();
    return place.remove();
  });

  /** What the next process finds once this one is gone. */
  async function inherited(): Promise<string[]> {
    locks.killAll();
    const { journal, witness } = await place.open({ locks });
    return readAll(journal, witness.ranges);
  }

  it.each<[string, Operation, 'always' | 'interval' | 'never']>([
    ['while its place is made', 'makeDirectory', 'always'],
    ['while its segment is made', 'create', 'always'],
    ['while a header or events are written', 'write', 'always'],
    ['while events are synced', 'sync', 'always'],
    ['while the directory is synced', 'syncDirectory', 'interval'],
    ['while events are written, and never synced', 'write', 'never'],
  ])('gives each event to the next life once, %s', async (_, operation, fsync) => {
    const journal = place.create({ fs, fsync, locks });
    fs.hang(operation);
    const opening = journal.open(new Witness());
    const appends = [journal.append(group(numbered(0, 3))), journal.append(group(numbered(3, 2)))];
    const ends = Promise.allSettled([opening, ...appends]);
    await expect.poll(() => fs.hanging).toBeGreaterThan(0);
    journal.appendSync(group(numbered(0, 6)));
    expect((await inherited()).sort()).toEqual(numbered(0, 6));
    fs.heal();
    await ends;
  });

  it('gives each event to the next life once where some are written already and others are under way', async () => {
    const { journal } = await place.open({ fs, fsync: 'always', locks });
    await journal.append(group(numbered(0, 2)));
    fs.hang('sync');
    const append = journal.append(group(numbered(2, 2)));
    await expect.poll(() => fs.count('write', SEGMENT)).toBe(3);
    expect(journal.appendSync(group(numbered(2, 3)))).toEqual({ segment: 1, from: 2, to: 5 });
    const rejects = expect(append).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(await inherited()).toEqual(numbered(0, 5));
    fs.heal();
    await rejects;
  });

  /** One event is written, and the write of two others hangs. Their append must reject. */
  async function hangInWrite() {
    const { journal } = await place.open({ fs, locks });
    await journal.append(group(['"first"']));
    fs.hang('write');
    const append = journal.append(group(numbered(0, 2)));
    const rejects = expect(append).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await expect.poll(() => fs.hanging).toBeGreaterThan(0);
    return { journal, rejects };
  }

  it('gives each event to the next life once where other events come first than those that are under way', async () => {
    const { journal, rejects } = await hangInWrite();
    journal.appendSync(group(numbered(2, 3)));
    journal.appendSync(group(numbered(0, 2)));
    // Only now the hanging write ends.
    fs.heal();
    await rejects;
    expect((await inherited()).sort()).toEqual(['"first"', ...numbered(0, 5)].sort());
  });

  it('gives each event to the next life once where another file took them, and the write under way still ends', async () => {
    const { journal, rejects } = await hangInWrite();
    expect(journal.appendSync(group([...numbered(2, 3), ...numbered(0, 2)]))).toMatchObject({ segment: 2 });
    fs.heal();
    await rejects;
    expect((await inherited()).sort()).toEqual(['"first"', ...numbered(0, 5)].sort());
  });

  it('gives each event to the next life once in the middle of a change of segments', async () => {
    const { journal } = await place.open({ fs, fsync: 'always', locks, segmentBytes: 100 });
    await journal.append(group(numbered(0, 2, 'p'.repeat(50))));
    fs.hang('create');
    const append = journal.append(group(numbered(2, 2)));
    await expect.poll(() => fs.count('close', SEGMENT)).toBe(1);
    journal.appendSync(group(numbered(2, 3)));
    const rejects = expect(append).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect((await inherited()).sort()).toEqual([...numbered(0, 2, 'p'.repeat(50)), ...numbered(2, 3)].sort());
    fs.heal();
    await rejects;
  });

  it.each<[string, (journal: FileJournal) => Promise<unknown>]>([
    ['is full and others wait', (journal) => journal.append(group(numbered(2, 2)))],
    ['is ended by a close', (journal) => journal.close()],
  ])(
    'gives each event to the next life once where events are synced in a segment that %s',
    async (_, end) => {
      const { journal } = await place.open({ fs, fsync: 'always', locks, segmentBytes: 100 });
      fs.hang('sync');
      const texts = numbered(0, 2, 'p'.repeat(50));
      const rejects = expect(journal.append(group(texts))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
      await expect.poll(() => fs.syncs).toBeGreaterThan(0);
      const ends = Promise.allSettled([end(journal)]);
      // Takes far more disk calls than a change of segments.
      for (let turn = 0; turn < 100; turn += 1) await place.files('.segment');
      texts.push(...numbered(2, 2));
      journal.appendSync(group(texts));
      expect((await inherited()).sort()).toEqual(texts.sort());
      fs.heal();
      await Promise.all([rejects, ends]);
    },
  );

  it('takes what is appended after it, though no write of before has begun', async () => {
    const { journal } = await place.open({ fs, locks });
    const rejects = expect(journal.append(group(['1']))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    journal.appendSync(group(['1']));
    expect(await readAll(journal, [await journal.append(group(['2']))])).toEqual(['2']);
    await rejects;
    expect((await inherited()).sort()).toEqual(['1', '2']);
  });

  it('leaves what it has to the next life though it never opened, as whole as the disk is', async () => {
    const journal = place.create({ fs, locks });
    fs.longestWrite = 5;
    journal.appendSync(group(numbered(0, 3)));
    expect(await inherited()).toEqual(numbered(0, 3));
    expect(fs.count('syncSync')).toBe(1);
  });

  it('throws where the disk fails, and what was written before is still there', async () => {
    const { journal } = await place.open({ fs, locks });
    await journal.append(group(['1']));
    fs.fail('writeSync', 'ENOSPC');
    expect(() => journal.appendSync(group(['2']))).toThrow('ENOSPC');
    expect(await inherited()).toEqual(['1']);
  });
});

describe('FileJournal, where the n-th operation of a kind fails', () => {
  // The long tests have the other kinds.
  it.each(['create', 'sync'] as const)(
    'loses no event that was taken, and says of none that it was that was not: %s, fsync always',
    async (operation) => {
      await expect(failEach(operation, 'always')).resolves.toBeUndefined();
    },
  );
});
