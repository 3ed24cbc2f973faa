import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { FRAME_HEADER_BYTES } from '../../../src/keep/file/format/frame.ts';
import type { Fsync } from '../../../src/keep/journal.ts';
import type { Operation } from '../../bench/failing-file-system.ts';
import { group, readAll } from '../../contracts/journal-contract.ts';
import { failEach } from './failing-operations.ts';
import { Place } from './place.ts';

it('a FileJournal survives random damage: never a crash, no damaged event, every intact one', async () => {
  let seed = 20261121;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 24; round += 1) {
    const place = await Place.create();
    const events = Array.from({ length: 40 }, (_, number) =>
      JSON.stringify({ number, pad: 'p'.repeat(random(90)) }),
    );
    const left = await place.open();
    for (const texts of [events.slice(0, 15), events.slice(15)]) await left.journal.append(group(texts));
    await left.journal.close();
    const path = await place.theSegment();
    const original = await readFile(path);
    let bytes = Buffer.from(original);
    const at = random(bytes.length);
    const length = 1 + random(200);
    if (round % 4 === 0) bytes = bytes.subarray(0, at);
    else if (round % 4 === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (round % 4 === 2) bytes.fill(0, at, at + length);
    else for (let next = at; next < Math.min(bytes.length, at + length); next += 1) bytes[next] = random(256);
    await writeFile(path, bytes);

    const { journal, witness } = await place.open();
    const found = await readAll(journal, witness.ranges);
    // An event is intact if neither its text nor the header before it was touched.
    const intact = events.filter((text) => {
      const start = original.indexOf(text) - FRAME_HEADER_BYTES;
      const end = start + FRAME_HEADER_BYTES + text.length;
      return bytes.subarray(start, end).equals(original.subarray(start, end));
    });
    expect(found, `round ${round}`).toEqual(intact);
    await place.remove();
  }
});

describe('FileJournal, where the n-th operation of a kind fails', () => {
  const OPERATIONS: readonly (readonly [Operation, Fsync])[] = [
    ...(['write', 'truncate', 'stat', 'close', 'read', 'openToRead'] as const),
    ...(['openToAppend', 'makeDirectory', 'syncDirectory', 'rename', 'remove', 'removeDirectory'] as const),
    ...(['list', 'volume'] as const),
  ].map((operation) => [operation, 'always']);
  /** Operations that another mode calls at other times. */
  const OF_INTERVAL = (['create', 'write', 'sync', 'stat'] as const).map(
    (operation) => [operation, 'interval'] as const,
  );

  it.each([...OPERATIONS, ...OF_INTERVAL])(
    'loses no event that was taken, and says of none that it was that was not: %s, fsync %s',
    async (operation, fsync) => {
      await expect(failEach(operation, fsync)).resolves.toBeUndefined();
    },
  );
});
