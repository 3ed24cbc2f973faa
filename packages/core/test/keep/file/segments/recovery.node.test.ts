import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
