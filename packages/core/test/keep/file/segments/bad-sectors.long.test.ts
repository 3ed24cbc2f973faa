import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PATIENCE } from '../../../../../../testing/patience.ts';
import { OpenFiles } from '../../../../src/keep/file/segments/open-files.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { numbered } from '../frames.ts';
import { Place } from '../place.ts';

const SECTOR_BYTES = 4096;
const TEXTS = numbered(0, 300, 'p'.repeat(1_000));

let place: Place;
beforeEach(async () => {
  place = await Place.create();
  const { journal } = await place.open();
  await journal.append(group(TEXTS));
  await journal.close();
});
afterEach(() => place.remove());

/** A disk on which these sectors cannot be read, of segments if nothing else is said. */
class WornDisk extends FailingFileSystem {
  sectors: readonly number[] = [];
  suffix = '.segment';

  override async openToRead(path: string) {
    const file = await super.openToRead(path);
    const read = file.read.bind(file);
    file.read = async (target, position) => {
      const end = position + target.length;
      const isBad = this.sectors.some((n) => n * SECTOR_BYTES < end && (n + 1) * SECTOR_BYTES > position);
      if (!isBad || !path.endsWith(this.suffix)) return read(target, position);
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    };
    return file;
  }
}

/** Those of the events that have no byte in these sectors. */
async function outside(...sectors: readonly number[]): Promise<string[]> {
  const bytes = await readFile(await place.theSegment());
  for (const sector of sectors) bytes.fill(0, sector * SECTOR_BYTES, (sector + 1) * SECTOR_BYTES);
  return TEXTS.filter((text) => bytes.includes(text));
}

it('a sector that cannot be read costs its own events, once it has failed for a minute', async () => {
  const intact = await outside(20, 30);
  expect(intact.length).toBeGreaterThan(TEXTS.length - 15);
  const fs = new WornDisk();
  const { journal, witness } = await place.open({ fs });
  fs.sectors = [20, 30];
  await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
  await place.clock.advance(59_000);
  await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
  expect([witness.settlements, witness.damages]).toEqual([[], []]);
  await place.clock.advance(1_000);
  expect(await readAll(journal, witness.ranges)).toEqual(intact);
  expect(witness.damages).toHaveLength(1);
  const lost = witness.settlements.map(({ range, fate }) => (fate === 'damaged' ? range.to - range.from : 0));
  expect(lost.reduce((sum, count) => sum + count)).toBe(TEXTS.length - intact.length);
  for (const range of witness.ranges) await journal.acknowledge(range);
  expect([await place.files('.segment'), await place.files('.damaged')]).toEqual([[], [expect.anything()]]);
});

it('a sector that can be read again meanwhile costs nothing, however often it fails', async () => {
  const fs = new WornDisk();
  const { journal, witness } = await place.open({ fs });
  for (let outage = 0; outage < 3; outage += 1) {
    fs.sectors = [20];
    await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
    await place.clock.advance(50_000);
    await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
    fs.sectors = [];
    expect(await readAll(journal, witness.ranges)).toEqual(TEXTS);
  }
  expect([witness.settlements, witness.damages]).toEqual([[], []]);
});

it('a sector that failed earlier, and was not read since, costs none of the others', async () => {
  const fs = new WornDisk();
  const files = new OpenFiles(fs, 1, place.clock);
  const path = await place.theSegment();
  const readTwo = (sector: number) =>
    files.use(path, 'read', (file) => file.read(new Uint8Array(2 * SECTOR_BYTES), sector * SECTOR_BYTES));
  fs.sectors = [1];
  await expect(readTwo(0)).rejects.toThrow('EIO');
  await place.clock.advance(2 * 60_000);
  fs.sectors = [41];
  await expect(readTwo(40)).rejects.toThrow('EIO');
  await files.closeAll();
});

it('a disk that is away for less than an hour costs nothing', async () => {
  const fs = new WornDisk();
  const { journal, witness } = await place.open({ fs });
  fs.sectors = Array.from({ length: 100 }, (_, index) => index);
  for (let minutes = 0; minutes < 60; minutes += 10) {
    await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
    await place.clock.advance(10 * 60_000);
  }
  fs.sectors = [];
  expect(await readAll(journal, witness.ranges)).toEqual(TEXTS);
  expect([witness.settlements, witness.damages]).toEqual([[], []]);
});

it('many sectors in a row cost their own events, once they have failed for an hour', async () => {
  const bad = Array.from({ length: 30 }, (_, index) => 20 + index);
  const intact = await outside(...bad);
  const fs = new WornDisk();
  const { journal, witness } = await place.open({ fs });
  fs.sectors = bad;
  for (let minutes = 0; minutes < 80; minutes += 10) {
    await readAll(journal, witness.ranges).catch(() => undefined);
    await place.clock.advance(10 * 60_000);
  }
  expect(await readAll(journal, witness.ranges)).toEqual(intact);
});

it('a sector at the end of a file holds up what is before it for a minute or two', async () => {
  const { length } = await readFile(await place.theSegment());
  const sector = Math.floor(length / SECTOR_BYTES) - 1;
  const intact = await outside(sector);
  const fs = new WornDisk();
  fs.sectors = [sector];
  const { journal, witness } = await place.open({ fs });
  expect([witness.ranges, witness.failures.length]).toEqual([[], 1]);
  for (let looks = 0; looks < 4; looks += 1) await place.clock.advance(20_000);
  await expect.poll(() => witness.ranges.length).toBeGreaterThan(0);
  expect(await readAll(journal, witness.ranges)).toEqual(intact);
});

it.each(['openToRead', 'stat', 'read'] as const)(
  'records of releases that cannot be read hold up their events for a minute, then those that were released come again (%s)',
  async (operation) => {
    const left = await place.open();
    for (const range of left.witness.ranges) await left.journal.acknowledge({ ...range, to: 290 });
    await left.journal.close();
    const fs = new FailingFileSystem();
    fs.fail(operation, 'EIO', { path: /\.acks$/, times: Number.POSITIVE_INFINITY });
    const { journal, witness } = await place.open({ fs });
    expect([witness.ranges, witness.failures]).toEqual([
      [],
      [expect.objectContaining({ message: expect.stringContaining('cannot read') })],
    ]);
    for (let looks = 0; looks < 4; looks += 1) await place.clock.advance(20_000);
    await expect.poll(() => witness.ranges.length).toBeGreaterThan(0);
    expect(await readAll(journal, witness.ranges)).toEqual(TEXTS);
  },
);

it('records of releases with bad sectors far apart bring back only what was released in these', async () => {
  const many = await Place.create();
  const left = await many.open();
  const { segment } = await left.journal.append(group(numbered(0, 8_000)));
  for (let from = 0; from < 8_000; from += 2) void left.journal.acknowledge({ segment, from, to: from + 1 });
  await left.journal.close();
  const fs = new WornDisk();
  Object.assign(fs, { sectors: [1, 10], suffix: '.acks' });
  const { journal, witness } = await many.open({ fs });
  const look = async () => {
    // Little at a time: files are closed in real time meanwhile.
    await many.clock.advance(1_000);
    return witness.ranges.length;
  };
  await expect.poll(look, { interval: 20, ...PATIENCE }).toBeGreaterThan(0);
  const found = witness.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(found).toBeGreaterThan(4_000);
  // A record has 12 bytes.
  expect(found).toBeLessThan(4_000 + (3 * 4_096) / 12);
  await journal.close();
  await many.remove();
});

it('records of releases that can be read again within a minute keep what was released from coming again', async () => {
  const left = await place.open();
  for (const range of left.witness.ranges) await left.journal.acknowledge({ ...range, to: 290 });
  await left.journal.close();
  const fs = new FailingFileSystem();
  fs.fail('read', 'EIO', { path: /\.acks$/, times: 2 });
  const { journal, witness } = await place.open({ fs });
  for (let looks = 0; looks < 2; looks += 1) await place.clock.advance(20_000);
  await expect.poll(() => witness.ranges.length).toBeGreaterThan(0);
  expect(await readAll(journal, witness.ranges)).toEqual(TEXTS.slice(290));
});

it('a small file is damaged only once its disk was away for an hour, and is never taken for an empty one', async () => {
  const small = await Place.create();
  const left = await small.open();
  await left.journal.append(group(numbered(0, 10)));
  await left.journal.close();
  const fs = new WornDisk();
  const { journal, witness } = await small.open({ fs });
  fs.sectors = [0];
  for (let minutes = 0; minutes < 60; minutes += 10) {
    await expect(readAll(journal, witness.ranges)).rejects.toThrow('EIO');
    await small.clock.advance(10 * 60_000);
  }
  expect([witness.settlements, witness.damages]).toEqual([[], []]);
  await small.clock.advance(20 * 60_000);
  await readAll(journal, witness.ranges).catch(() => undefined);
  expect([witness.settlements.length, witness.damages.length]).toEqual([1, 1]);
  await journal.close();
  await small.remove();
});
