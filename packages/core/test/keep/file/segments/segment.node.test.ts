import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRAME_HEADER_BYTES } from '../../../../src/keep/file/format/frame.ts';
import { SegmentHeader } from '../../../../src/keep/file/format/segment-header.ts';
import { toTexts } from '../../../bench/event-texts.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { framesOf, numbered, SEGMENT } from '../frames.ts';
import { type Life, Place } from '../place.ts';

const KIB = 1024;
const HEADER_BYTES = 32;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Leaves what an earlier process leaves that writes these events. Returns the path and the bytes of its segment. */
async function leave(texts: readonly string[]): Promise<{ path: string; bytes: Buffer }> {
  const { journal } = await place.open();
  const step = 50;
  for (let from = 0; from < texts.length; from += step)
    await journal.append(group(texts.slice(from, from + step)));
  await journal.close();
  const path = await place.theSegment();
  return { path, bytes: await readFile(path) };
}

/** Leaves a segment with this id and base time, of which only these frames are there. */
async function leaveFrames(...frames: readonly Buffer[]): Promise<void> {
  const origin = 'a'.repeat(16);
  const directory = join(place.directory, `${origin}.${origin}`);
  await mkdir(directory);
  const header = new SegmentHeader(0, SEGMENT.baseTime, SEGMENT.id).bytes;
  await writeFile(join(directory, '00000001.segment'), Buffer.concat([header, ...frames]));
}

/** Where the frame of an event starts. */
function frameAt(bytes: Buffer, text: string): number {
  return bytes.indexOf(text) - FRAME_HEADER_BYTES;
}

/** The next process, on a disk that records the reads of segments. */
async function openWatched(): Promise<Life & { readonly reads: () => number[] }> {
  const fs = new FailingFileSystem();
  const life = await place.open({ fs });
  const reads = () =>
    fs.calls
      .filter(({ operation, path }) => operation === 'read' && path.endsWith('.segment'))
      .map(({ bytes }) => bytes);
  return { ...life, reads };
}

const LARGE = numbered(0, 400, 'p'.repeat(2 * KIB));

describe('a segment that is taken on', () => {
  it('is read at its start and its end alone, however large it is', async () => {
    await leave(LARGE);
    const { reads, witness, journal } = await openWatched();
    expect(reads()).toEqual([HEADER_BYTES, 64 * KIB]);
    expect(witness.ranges).toEqual([{ segment: 1, from: 0, to: 400 }]);
    expect(await readAll(journal, witness.ranges)).toEqual(LARGE);
  });

  it('is read as a whole where its end is not intact, which is said, and costs nothing that is', async () => {
    const { path, bytes } = await leave(LARGE);
    await writeFile(path, bytes.subarray(0, -100));
    const { reads, witness, journal } = await openWatched();
    expect(reads().reduce((total, length) => total + length, 0)).toBeGreaterThan(bytes.length);
    expect(Math.max(...reads())).toBe(64 * KIB);
    expect(witness.damages).toEqual([
      {
        place: expect.stringContaining('.segment'),
        bytes: bytes.length - 100 - frameAt(bytes, LARGE[399] ?? ''),
      },
    ]);
    expect(witness.ranges).toEqual([{ segment: 1, from: 0, to: 399 }]);
    expect(await readAll(journal, witness.ranges)).toEqual(LARGE.slice(0, -1));
  });

  it('has damage in its middle, which is found when it is read, said once, and passed over', async () => {
    const { path, bytes } = await leave(LARGE);
    const at = frameAt(bytes, LARGE[100] ?? '');
    const end = frameAt(bytes, LARGE[103] ?? '');
    bytes.fill(0, at + 5, end - 5);
    await writeFile(path, bytes);
    const { witness, journal } = await openWatched();
    expect([witness.damages, witness.ranges]).toEqual([[], [{ segment: 1, from: 0, to: 400 }]]);
    const intact = [...LARGE.slice(0, 100), ...LARGE.slice(103)];
    expect(await readAll(journal, witness.ranges, { maxEvents: 7, maxBytes: 100 * KIB })).toEqual(intact);
    expect(await readAll(journal, witness.ranges)).toEqual(intact);
    expect(witness.damages).toEqual([{ place: expect.stringContaining('.segment'), bytes: end - at }]);
    // What waits behind it can then be sent with what waits before it.
    expect(witness.settlements).toEqual([{ range: { segment: 1, from: 100, to: 103 }, fate: 'damaged' }]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect([await place.files('.segment'), await place.files('.damaged')]).toEqual([
      [],
      [expect.stringContaining('00000001.damaged')],
    ]);
  });

  it('gives each event once where a block of it lies in another place too', async () => {
    const { path, bytes } = await leave(LARGE);
    const original = Buffer.from(bytes);
    const [from, to, target] = [20, 30, 200].map((number) => frameAt(bytes, LARGE[number] ?? ''));
    bytes.copy(bytes, target, from, to);
    await writeFile(path, bytes);
    const { witness, journal } = await openWatched();
    const intact = LARGE.filter((text) => {
      const at = frameAt(original, text);
      const end = at + FRAME_HEADER_BYTES + text.length;
      return bytes.subarray(at, end).equals(original.subarray(at, end));
    });
    expect(intact.length).toBeLessThan(LARGE.length);
    expect(await readAll(journal, witness.ranges)).toEqual(intact);
  });

  it('loses nothing to garbage that somebody put between two events', async () => {
    const { path, bytes } = await leave(LARGE);
    const at = frameAt(bytes, LARGE[50] ?? '');
    await writeFile(
      path,
      Buffer.concat([bytes.subarray(0, at), Buffer.alloc(3_000, 0xfe), bytes.subarray(at)]),
    );
    const { witness, journal } = await openWatched();
    expect(await readAll(journal, witness.ranges)).toEqual(LARGE);
    expect(witness.damages).toEqual([{ place: expect.anything(), bytes: 3_000 }]);
  });

  it('does not promise events that are missing before its last one, though no byte is damaged', async () => {
    await leaveFrames(framesOf(numbered(0, 3)), framesOf(numbered(7, 2), 7));
    const { witness, journal } = await openWatched();
    expect(witness.ranges).toEqual([
      { segment: 1, from: 0, to: 3 },
      { segment: 1, from: 7, to: 9 },
    ]);
    expect(await readAll(journal, witness.ranges)).toEqual([...numbered(0, 3), ...numbered(7, 2)]);
    expect(witness.damages).toEqual([]);
  });

  it('finds its last events also where earlier ones lie behind them', async () => {
    await leaveFrames(framesOf(numbered(3, 4), 3), framesOf(numbered(0, 3)));
    const { witness, journal } = await openWatched();
    expect(await readAll(journal, witness.ranges)).toEqual(numbered(0, 7));
  });

  it('gives an event also to a reader that looks for it in its place while another finds that it lies elsewhere', async () => {
    const end = numbered(200, 100, 'p'.repeat(KIB));
    const parts = [
      framesOf(numbered(0, 100)),
      framesOf(numbered(150, 50), 150),
      framesOf(numbered(100, 50), 100),
    ];
    await leaveFrames(...parts, framesOf(end, 200));
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    expect(witness.ranges).toEqual([{ segment: 1, from: 0, to: 300 }]);
    const read = async (from: number) => {
      const { events } = await journal.read(
        { segment: 1, from, to: from + 1 },
        { maxEvents: 1, maxBytes: 1 },
      );
      return toTexts(events);
    };
    const goOn = fs.hang('read');
    const late = read(120);
    await expect.poll(() => fs.hanging).toBe(1);
    // Those that come now do not wait.
    fs.hang('read')();
    expect(await read(130)).toEqual(numbered(130, 1));
    goOn();
    expect(await late).toEqual(numbered(120, 1));
  });

  it('loses nothing that is appended while its damage is looked for', async () => {
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 10)));
    const path = await place.theSegment();
    const bytes = await readFile(path);
    bytes[HEADER_BYTES + FRAME_HEADER_BYTES] = 0;
    await writeFile(path, bytes);
    const letRead = fs.hang('read');
    const reading = readAll(journal, [range]);
    await expect.poll(() => fs.hanging).toBe(1);
    letRead();
    const letScan = fs.hang('read');
    await expect.poll(() => [fs.count('read'), fs.hanging]).toEqual([1, 1]);
    const more = await journal.append(group(numbered(10, 5)));
    letScan();
    expect(await reading).toEqual(numbered(1, 9));
    expect(witness.settlements).toEqual([{ range: { ...range, to: 1 }, fate: 'damaged' }]);
    expect(await readAll(journal, [more])).toEqual(numbered(10, 5));
    expect(await place.inherited()).toEqual(numbered(1, 14));
  });

  it('loses no event, only their ages, where its header is damaged', async () => {
    const { path, bytes } = await leave(numbered(0, 10));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const { witness, journal } = await openWatched();
    const [range = { segment: 0, from: 0, to: 0 }] = witness.ranges;
    const { events } = await journal.read(range, { maxEvents: 100, maxBytes: 10_000 });
    expect(await readAll(journal, witness.ranges)).toEqual(numbered(0, 10));
    expect([...(events.times ?? [])]).toEqual(Array.from({ length: 10 }, () => Number.NaN));
    expect(witness.damages).toEqual([{ place: expect.anything(), bytes: HEADER_BYTES }]);
  });

  it('may begin at another index than 0, and waits for nothing before it', async () => {
    const origin = 'a'.repeat(16);
    const directory = join(place.directory, `${origin}.${origin}`);
    await mkdir(directory);
    const file = Buffer.concat([
      new SegmentHeader(5, SEGMENT.baseTime, SEGMENT.id).bytes,
      framesOf(numbered(5, 4), 5),
    ]);
    await writeFile(join(directory, '00000009.segment'), file);
    const { witness, journal } = await openWatched();
    expect(witness.ranges).toEqual([{ segment: 1, from: 5, to: 9 }]);
    expect(await readAll(journal, witness.ranges)).toEqual(numbered(5, 4));
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect(await place.files('.segment')).toEqual([]);
  });

  it('books no more events than fit into it, where somebody wrote other indexes', async () => {
    const texts = numbered(0, 10);
    await leaveFrames(framesOf(texts, 0xffffff00));
    const { journal, witness } = await place.open();
    expect(witness.ranges.reduce((total, { from, to }) => total + to - from, 0)).toBe(texts.length);
    expect(await readAll(journal, witness.ranges)).toEqual(texts);
  });

  it('is deleted, not set aside, where nothing of it was damaged, though its last event is a large one', async () => {
    const texts = [...numbered(0, 3), JSON.stringify({ large: 'x'.repeat(200 * KIB) })];
    await leave(texts);
    const { witness, journal } = await openWatched();
    expect(await readAll(journal, witness.ranges)).toEqual(texts);
    expect(witness.damages).toEqual([]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect([await place.files('.segment'), await place.files('.damaged')]).toEqual([[], []]);
  });

  it('waits for those events alone that were not released', async () => {
    const { journal } = await place.open();
    const range = await journal.append(group(numbered(0, 10)));
    await Promise.all([
      journal.acknowledge({ ...range, from: 2, to: 4 }),
      journal.acknowledge({ ...range, from: 7, to: 9 }),
    ]);
    await journal.close();
    const { witness } = await openWatched();
    expect(witness.ranges.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [4, 7],
      [9, 10],
    ]);
  });
});

describe('a segment that is read', () => {
  it('costs no more than a part of it, wherever reading starts', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const texts = numbered(0, 1_000, 'p'.repeat(2 * KIB));
    for (let from = 0; from < texts.length; from += 10)
      await journal.append(group(texts.slice(from, from + 10)));
    for (const from of [990, 500, 10, 777, 501]) {
      fs.calls.length = 0;
      const { events } = await journal.read(
        { segment: 1, from, to: 1_000 },
        { maxEvents: 1, maxBytes: 8 * KIB },
      );
      expect(events.ends).toHaveLength(1);
      const bytes = fs.calls.reduce((sum, call) => sum + (call.operation === 'read' ? call.bytes : 0), 0);
      expect(bytes).toBeLessThan(200 * KIB);
    }
  });

  it('goes on where the last read ended, reading nothing twice', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 100, 'p'.repeat(100))));
    await readAll(journal, [range], { maxEvents: 10, maxBytes: 2 * KIB });
    const bytes = fs.calls.reduce((sum, call) => sum + (call.operation === 'read' ? call.bytes : 0), 0);
    expect(bytes).toBeLessThan(3 * journal.bytes);
  });

  it('is read ahead, so that reading it in order takes few reads, also while it grows', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const limit = { maxEvents: 10, maxBytes: 2 * KIB };
    const texts = numbered(0, 200, 'p'.repeat(100));
    const range = await journal.append(group(texts.slice(0, 100)));
    const found = await readAll(journal, [range], limit);
    const more = await journal.append(group(texts.slice(100)));
    expect([...found, ...(await readAll(journal, [more], limit))]).toEqual(texts);
    expect(fs.count('read')).toBeLessThan(10);
  });

  it('is opened again after a read failed', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 3)));
    fs.fail('read', 'EIO', { times: 2 });
    await expect(readAll(journal, [range])).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('.segment'),
    });
    expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
  });
});

describe('a segment that is released', () => {
  it('takes one write for all that is released while another is under way', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 100)));
    const release = fs.hang('write');
    const notes = Array.from({ length: 50 }, (_, number) =>
      journal.acknowledge({ ...range, from: number * 2, to: number * 2 + 1 }),
    );
    release();
    await Promise.all(notes);
    expect(fs.count('write', /\.acks$/)).toBeLessThanOrEqual(2);
    expect(await place.inherited()).toEqual(numbered(0, 100).filter((_, index) => index % 2 === 1));
  });

  it.each([
    ['with the next one', 1],
    ['when the journal is closed', 0],
  ])('says where it could not note that, and notes it %s', async (_, more) => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 4)));
    const { bytes } = journal;
    fs.fail('write', 'ENOSPC', { path: /\.acks$/ });
    await expect(journal.acknowledge({ ...range, to: 1 })).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(journal.bytes).toBe(bytes);
    await journal.acknowledge({ ...range, from: 1, to: 1 + more });
    expect(await place.inherited()).toEqual(numbered(1 + more, 3 - more));
  });

  it('notes all that it could not in few bytes, however often it failed', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(numbered(0, 50)));
    fs.fail('write', 'ENOSPC', { path: /\.acks$/, times: 40 });
    for (let from = 0; from < 40; from += 1)
      await expect(journal.acknowledge({ ...range, from, to: from + 1 })).rejects.toThrow('ENOSPC');
    await journal.acknowledge({ ...range, from: 40, to: 41 });
    const [acks = ''] = await place.files('.acks');
    expect((await readFile(acks)).length).toBe(12);
    expect(await place.inherited()).toEqual(numbered(41, 9));
  });

  it('has no more records read than its events can have, and no more bytes counted, whatever lies in their place', async () => {
    await leave(numbered(0, 10));
    const path = (await place.theSegment()).replace('.segment', '.acks');
    await writeFile(path, '');
    await truncate(path, 2 ** 30);
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    const read = fs.calls.filter((call) => call.operation === 'read' && call.path.endsWith('.acks'));
    expect(read.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(1_000);
    expect(journal.bytes).toBeLessThan(2_000);
    expect(await readAll(journal, witness.ranges)).toEqual(numbered(0, 10));
  });

  it('is not released by the records of another segment', async () => {
    for (const number of [0, 1]) {
      const { journal } = await place.open();
      const range = await journal.append(group(numbered(number * 10, 5)));
      await journal.acknowledge({ ...range, from: 1 + number, to: 4 });
      await journal.close();
    }
    const [first = '', second = ''] = await place.files('.acks');
    await writeFile(first, await readFile(second));
    const found = await place.inherited();
    // One segment has its own records, the other has those of another segment, which do not count.
    const isSecondWhole = found.includes(numbered(12, 1)[0] ?? '');
    expect(found).toHaveLength(isSecondWhole ? 5 + 2 : 5 + 3);
  });
});
