import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acknowledgementRecord } from '../../../../src/keep/file/format/acknowledgements.ts';
import { MOST_RUNS } from '../../../../src/keep/file/format/index-set.ts';
import { writeHeader } from '../../../../src/keep/file/format/segment-header.ts';
import { readAll } from '../../../contracts/journal-contract.ts';
import { framesOf, SEGMENT } from '../frames.ts';
import { Place } from '../place.ts';

const ORIGIN = 'a'.repeat(16);

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Leaves a segment with these frames and these records of what is released. */
async function leave(frames: readonly Buffer[], records: readonly Buffer[] = []): Promise<void> {
  const directory = join(place.directory, `${ORIGIN}.${ORIGIN}`);
  await mkdir(directory);
  const segment = Buffer.concat([writeHeader({ first: 0, ...SEGMENT }), ...frames]);
  await writeFile(join(directory, '00000001.segment'), segment, { mode: 0o600 });
  await writeFile(join(directory, '00000001.acks'), Buffer.concat(records), { mode: 0o600 });
}

describe('a segment in more pieces than damage makes', () => {
  it('gives the events of a bounded number of pieces, and is kept aside with the rest', async () => {
    await leave(Array.from({ length: MOST_RUNS + 100 }, (_, number) => framesOf(['1'], 2 * number)));
    const { journal, witness } = await place.open();
    expect(await readAll(journal, witness.ranges.slice(0, 3))).toEqual(['1', '1', '1']);
    expect([witness.ranges.length, witness.damages.length]).toEqual([MOST_RUNS, 1]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect([(await place.files('.segment')).length, (await place.files('.damaged')).length]).toEqual([0, 1]);
  });

  it('gives some events again where too many single ones are released, and loses none', async () => {
    const count = 2 * MOST_RUNS + 200;
    const odd = Array.from({ length: count / 2 }, (_, number) => count - 1 - 2 * number);
    const records = odd.map((index) => acknowledgementRecord(SEGMENT.id, index, index + 1));
    await leave([framesOf(Array(count).fill('1'))], records);
    const { witness } = await place.open();
    expect(witness.ranges).toHaveLength(MOST_RUNS);
    expect(witness.ranges[0]).toEqual({ segment: 1, from: 0, to: 201 });
  });
});
