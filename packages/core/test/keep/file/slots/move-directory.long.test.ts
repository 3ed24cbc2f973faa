import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { MortalLocks, Place } from '../place.ts';

const OTHER_DISK = '/dev/shm';
const ADOPTION_MS = 20_000;

function hasTwoDisks(): boolean {
  const other = statSync(OTHER_DISK, { throwIfNoEntry: false });
  return other !== undefined && other.dev !== statSync(tmpdir()).dev;
}

describe.skipIf(!hasTwoDisks())('a former directory on another disk', () => {
  let place: Place;
  let former: Place;
  beforeEach(async () => {
    [place, former] = [await Place.create(), await Place.create(OTHER_DISK)];
    await leave();
  });
  afterEach(async () => {
    await place.remove();
    await former.remove();
  });

  /** Leaves four events in two segments of the former directory. The first one is delivered. */
  async function leave(): Promise<void> {
    const { journal } = await former.open({ segmentBytes: 50 });
    const range = await journal.append(group(['"delivered"', '"one"']));
    await journal.append(group(['"two"', `"${'p'.repeat(300_000)}"`]));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    await journal.close();
  }

  const succeed = (options: Parameters<Place['open']>[0] = {}) =>
    place.open({ formerRoot: former.directory, ...options });
  const LEFT = [expect.stringMatching(/one/), expect.stringMatching(/two/), expect.stringMatching(/ppp/)];

  it('is taken over: what waits in it is copied, and deleted there', async () => {
    const { journal, witness } = await succeed();
    expect(witness.failures).toEqual([]);
    expect(await readAll(journal, witness.ranges)).toEqual(LEFT);
    await expect(readdir(former.directory)).rejects.toThrow('ENOENT');
    for (const range of witness.ranges) await journal.acknowledge(range);
    await journal.close();
    expect(await place.inherited()).toEqual([]);
  });

  it('loses nothing and doubles nothing, wherever the process ends meanwhile', async () => {
    for (let calls = 0; ; calls += 1) {
      const locks = new MortalLocks();
      const fs = new FailingFileSystem();
      fs.dieAfter(calls);
      const { witness } = await succeed({ fs, locks }).catch(() => ({ witness: undefined }));
      locks.killAll();
      const next = await succeed({ locks });
      expect(await readAll(next.journal, next.witness.ranges), `${calls} calls`).toEqual(LEFT);
      if (witness?.failures.length === 0 && witness.ranges.length > 0) break;
      for (const range of next.witness.ranges) await next.journal.acknowledge(range);
      await place.remove();
      await former.remove();
      [place, former] = [await Place.create(), await Place.create(OTHER_DISK)];
      await leave();
    }
  });

  it('is copied by one of several processes', async () => {
    const lives = await Promise.all(Array.from({ length: 4 }, () => succeed()));
    const found = await Promise.all(lives.map(({ journal, witness }) => readAll(journal, witness.ranges)));
    expect(found.flat().sort()).toHaveLength(LEFT.length);
    expect(lives.flatMap(({ witness }) => witness.failures)).toEqual([]);
  });

  it('of which a file cannot be deleted is told of once, and taken over once that works', async () => {
    const fs = new FailingFileSystem();
    fs.fail('remove', 'EROFS', { path: new RegExp(`^${former.directory}.*segment$`), times: 2 });
    const { journal, witness } = await succeed({ fs });
    const isFound = async () => {
      await place.clock.advance(ADOPTION_MS);
      return witness.ranges.length >= 2;
    };
    await expect.poll(isFound).toBe(true);
    expect((await readAll(journal, witness.ranges)).sort()).toHaveLength(LEFT.length);
    expect(witness.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/cannot take over .*EROFS/),
    ]);
  });
});
