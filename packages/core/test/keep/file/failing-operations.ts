import { expect } from 'vitest';
import type { Fsync } from '../../../src/keep/journal.ts';
import { FailingFileSystem, type Operation } from '../../bench/failing-file-system.ts';
import { group, readAll, Witness } from '../../contracts/journal-contract.ts';
import { numbered } from './frames.ts';
import { Place } from './place.ts';

/** Tries again once, as the tracker does. A second failure in a row is a mistake of the test. */
async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch(work);
}

/** Has the first operation of a kind fail, then the second, and so on: no event that was taken may be lost, and none wrongly said to be. */
export async function failEach(operation: Operation, fsync: Fsync): Promise<void> {
  for (let after = 0; after < 100; after += 1) {
    const place = await Place.create();
    const left = await place.open();
    await left.journal.append(group(numbered(0, 5)));
    await left.journal.close();

    const fs = new FailingFileSystem();
    fs.fail(operation, 'EIO', { after });
    fs.longestWrite = 60;
    const journal = place.create({ fs, fsync, segmentBytes: 400 });
    const witness = new Witness();
    await again(() => journal.open(witness));
    const taken: string[] = [];
    const ranges = [];
    for (let number = 10; number < 20; number += 2) {
      const texts = numbered(number, 2, 'p'.repeat(40));
      const range = await again(() => journal.append(group(texts)));
      expect(await again(() => readAll(journal, [range]))).toEqual(texts);
      ranges.push(range);
      taken.push(...texts);
    }
    await again(() => journal.sync());
    const [first, second] = ranges;
    if (first === undefined || second === undefined) throw new Error('nothing was appended');
    // If that cannot be noted, it is when the journal is closed.
    await journal.acknowledge(first).catch(() => undefined);
    const recovered = await again(() => readAll(journal, witness.ranges));
    const wasHit = fs.count(operation) > after;
    await journal.close();
    const heirs = await place.inherited();

    const name = `${operation} number ${after}`;
    expect(heirs.sort(), name).toEqual([...taken.slice(2), ...numbered(0, 5)].sort());
    expect([0, 5], name).toContain(recovered.length);
    await place.remove();
    if (!wasHit) return;
  }
  throw new Error('it never ran without the failure');
}
