import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Released } from '../../../../src/keep/file/format/released.ts';
import { SegmentHeader } from '../../../../src/keep/file/format/segment-header.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { numbered } from '../frames.ts';
import { Place } from '../place.ts';

const ADOPTION_MS = 30_000;
const SEGMENT = /\.segment$/;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

describe('a directory that was taken over and could not be read completely', () => {
  it('is read again later, and gives each event once', async () => {
    const left = await place.open({ segmentBytes: 100 });
    const texts = numbered(0, 3, 'p'.repeat(100));
    for (const text of texts) await left.journal.append(group([text]));
    await left.journal.close();

    const fs = new FailingFileSystem();
    fs.fail('openToRead', 'EIO', { after: 1, path: SEGMENT });
    const { journal, witness } = await place.open({ fs });
    expect(witness.failures).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual([texts[0], texts[2]]);
    await place.clock.advance(ADOPTION_MS);
    await expect.poll(() => witness.ranges.length).toBeGreaterThan(2);
    expect((await readAll(journal, witness.ranges)).sort()).toEqual(texts);
    const sizes = (await place.files('.segment')).map(async (path) => (await stat(path)).size);
    expect(journal.bytes).toBe((await Promise.all(sizes)).reduce((sum, size) => sum + size));
  });
});

describe('a segment that cannot be deleted', () => {
  it('is passed over, until the next look, when others are to be given up', async () => {
    for (const text of ['"stuck"', '"next"', '"last"']) {
      const left = await place.open();
      await left.journal.append(group([text]));
      await left.journal.close();
      await place.clock.advance(1_000);
    }
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    const [stuck = '', next, last] = await Promise.all(
      witness.ranges.map(async (range) => (await readAll(journal, [range]))[0]),
    );
    expect([stuck, next, last]).toEqual(['"stuck"', '"next"', '"last"']);
    const segments = witness.ranges.map(({ segment }) => segment);
    fs.fail('remove', 'EPERM', { path: SEGMENT });
    await expect(journal.evictOldest()).rejects.toThrow('EPERM');
    expect(await journal.evictOldest()).toBe(segments[1]);
    const looks = fs.count('list');
    await place.clock.advance(10 * 60_000);
    await expect.poll(() => fs.count('list')).toBeGreaterThan(looks + 1);
    expect(await readAll(journal, witness.ranges)).toEqual(['"stuck"', '"last"']);
    expect(await journal.evictOldest()).toBe(segments[0]);
  });

  it('is tried again where there is no other', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fs });
    const range = await journal.append(group(['1']));
    fs.fail('remove', 'EPERM', { path: SEGMENT });
    await expect(journal.evictOldest()).rejects.toThrow('EPERM');
    expect(await journal.evictOldest()).toBe(range.segment);
  });
});

describe('a segment of which nothing waits', () => {
  it('is deleted later if that fails at first, and does not count then', async () => {
    const left = await place.open();
    const range = await left.journal.append(group(numbered(0, 3)));
    await left.journal.acknowledge({ ...range, to: range.to - 1 });
    await left.journal.close();
    // As if the process had ended between the last release and the deletion.
    const [acks = ''] = await place.files('.acks');
    const records = await readFile(acks);
    await writeFile(acks, Buffer.concat([records, Released.records(await idOf(), [{ from: 2, to: 3 }])]));
    const fs = new FailingFileSystem();
    fs.fail('remove', 'EIO', { path: SEGMENT });
    const { journal, witness } = await place.open({ fs });
    expect([witness.ranges, witness.failures.length]).toEqual([[], 1]);
    await place.clock.advance(ADOPTION_MS);
    await expect.poll(() => place.files('.segment')).toEqual([]);
    expect(journal.bytes).toBe(0);
  });
});

describe('a segment that could not be begun', () => {
  it('is removed later where that failed too, as nothing is in it', async () => {
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    fs.fail('write', 'ENOSPC', { path: SEGMENT });
    fs.fail('remove', 'EIO', { path: SEGMENT });
    const range = await journal.append(group(numbered(0, 3)));
    expect(await place.files('.segment')).toHaveLength(2);
    await place.clock.advance(10 * 60_000);
    await expect.poll(() => place.files('.segment')).toHaveLength(1);
    expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
    expect(witness.ranges).toEqual([]);
  });
});

it('old events that are appended between new ones come back in this order after a restart', async () => {
  const first = await place.open();
  const ages = [0, 2 * 24 * 60 * 60_000, 0];
  for (const [number, ageMs] of ages.entries())
    await first.journal.append({
      ...group(numbered(number, 1)),
      times: Float64Array.of(place.clock.now() - ageMs),
    });
  await first.journal.close();
  const { journal, witness } = await place.open();
  expect(await readAll(journal, witness.ranges)).toEqual(numbered(0, 3));
});

/** The id in the header of the only segment. */
async function idOf(): Promise<number> {
  const bytes = await readFile(await place.theSegment());
  const header = await SegmentHeader.read({ read: async (target) => bytes.copy(target) }, bytes.length);
  return typeof header === 'string' ? expect.fail(header) : header.id;
}
