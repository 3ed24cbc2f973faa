import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/entries/testing/virtual-clock.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { MortalLocks, Place } from '../place.ts';

const ADOPTION_MS = 30_000;
const ALONE_MS = 10 * 60_000;
/** The directory of a test. */
const ROOT = /sluice-\w+$/;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

describe('a journal among others', () => {
  /** Opens a journal with its own clock. With `never`, it has no timers for writes. */
  async function live(
    fs = new FailingFileSystem(),
  ): Promise<{ clock: VirtualClock } & Awaited<ReturnType<Place['open']>>> {
    const clock = new VirtualClock();
    return { clock, ...(await place.open({ clock, fs, fsync: 'never' })) };
  }

  it('looks for orphans every 30 s while it has company, and rarely once it is alone', async () => {
    const fs = new FailingFileSystem();
    const first = await live(fs);
    const second = await live();
    await second.journal.append(group(['"left behind"']));
    await expect.poll(() => first.clock.timers).toBe(1);
    await first.clock.advance(ADOPTION_MS);
    await expect.poll(() => first.clock.timers).toBe(1);
    expect(first.witness.ranges).toEqual([]);

    await second.journal.close();
    await first.clock.advance(ADOPTION_MS - 1);
    expect(first.witness.ranges).toEqual([]);
    await first.clock.advance(1);
    await expect.poll(() => first.witness.ranges).toHaveLength(1);
    expect(await readAll(first.journal, first.witness.ranges)).toEqual(['"left behind"']);
    await expect.poll(() => first.clock.timers).toBe(1);
    const looks = fs.count('list', ROOT);
    await first.clock.advance(ALONE_MS - 1);
    expect(fs.count('list', ROOT)).toBe(looks);
    await first.clock.advance(1);
    await expect.poll(() => fs.count('list', ROOT)).toBe(looks + 1);
  });

  it('tells of what many of them left with the oldest first, whatever their directories are called', async () => {
    const texts = Array.from({ length: 8 }, (_, number) => String(number));
    for (const text of texts) {
      const { journal } = await place.open({ fsync: 'never' });
      await journal.append(group([text]));
      await place.clock.advance(1_000);
    }
    expect(await place.inherited()).toEqual(texts);
  });

  it('looks soon from the first visit on, however long it has been alone', async () => {
    const fs = new FailingFileSystem();
    const first = await live(fs);
    await first.clock.advance(ADOPTION_MS);
    const looks = fs.count('list', ROOT);
    await live();
    const hasLooked = async () => {
      await first.clock.advance(ADOPTION_MS / 10);
      return fs.count('list', ROOT) > looks;
    };
    const before = first.clock.now();
    await expect.poll(hasLooked).toBe(true);
    expect(first.clock.now() - before).toBeLessThan(ALONE_MS / 2);
  });

  it('has no timer once it is closed, also where somebody visits it just then', async () => {
    const first = await live();
    await live();
    await first.journal.close();
    expect(first.clock.timers).toBe(0);
    await live();
    expect(first.clock.timers).toBe(0);
  });

  it('says where it cannot look, and looks again', async () => {
    await live();
    const fs = new FailingFileSystem();
    const clock = new VirtualClock();
    fs.fail('list', 'EIO');
    const { witness } = await place.open({ fs, clock, fsync: 'never' });
    expect(witness.failures).toEqual([
      expect.objectContaining({ code: 'SLUICE_STORAGE', message: expect.stringContaining('orphans') }),
    ]);
    expect(clock.timers).toBe(1);
    const looks = fs.count('list', ROOT);
    await clock.advance(ADOPTION_MS);
    await expect.poll(() => fs.count('list', ROOT)).toBe(looks + 1);
  });

  it('finds before its next timer what a process left that lived too briefly to be seen, while it writes', async () => {
    const { clock, witness, journal } = await live();
    const brief = place.create({ fsync: 'never' });
    brief.appendSync(group(['"brief"']));
    await journal.append(group(['1']));
    expect(witness.ranges).toEqual([]);
    await clock.advance(ADOPTION_MS);
    await journal.append(group(['2']));
    await expect.poll(() => witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(['"brief"']);
  });
});

describe('a journal whose directory somebody removed', () => {
  it('ends no sooner than a look that had begun before', async () => {
    const fs = new FailingFileSystem();
    const { clock } = place;
    const { journal } = await place.open({ fs, fsync: 'never' });
    const letOld = fs.hang('list');
    await clock.advance(ALONE_MS);
    await expect.poll(() => fs.hanging).toBe(1);
    // Looks that begin now do not wait.
    fs.hang('list')();
    await rm(place.directory, { recursive: true });
    await journal.append(group(['1']));
    let isClosed = false;
    const closed = journal.close().then(() => {
      isClosed = true;
    });
    // Takes far more disk calls than an end.
    for (let turn = 0; turn < 100; turn += 1) await place.files('.segment');
    expect(isClosed).toBe(false);
    letOld();
    await closed;
  });

  it('has its place again where it was, as long as its lock is there', async () => {
    const { journal } = await place.open({ fsync: 'never', segmentBytes: 50 });
    await journal.append(group([JSON.stringify('p'.repeat(60))]));
    const [segment = ''] = await place.files('.segment');
    await rm(dirname(segment), { recursive: true });
    await journal.append(group(['"after"']));
    const [next = ''] = await place.files('.segment');
    expect(dirname(next)).toBe(dirname(segment));
    expect(await place.inherited()).toEqual(['"after"']);
  });

  it('has another place where its lock is gone too, and nobody takes it over while it lives', async () => {
    const { journal } = await place.open({ fsync: 'never', segmentBytes: 50 });
    await journal.append(group([JSON.stringify('p'.repeat(60))]));
    await rm(place.directory, { recursive: true });
    const range = await journal.append(group(['"after"']));
    const { witness } = await place.open();
    expect(witness.ranges).toEqual([]);
    expect(await readAll(journal, [range])).toEqual(['"after"']);
    expect(await place.inherited()).toEqual(['"after"']);
  });
});

describe('a directory of a dead owner', () => {
  const fs = new FailingFileSystem();
  const locks = new MortalLocks();

  /** Another owner dies, with two events of which one was delivered. Returns the next one. */
  async function succeed(code: string, times: number): ReturnType<Place['open']> {
    const { journal } = await place.open({ locks });
    const range = await journal.append(group(['"delivered"', '"left behind"']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    locks.killAll();
    fs.heal();
    fs.fail('rename', code, { path: /[0-9a-f]$/, times });
    return place.open({ fs, locks });
  }

  it('that cannot be taken over is told of once, and taken over when that works', async () => {
    const { journal, witness } = await succeed('EACCES', 2);
    expect(witness.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/cannot take over .*EACCES/),
    ]);
    const isFound = async () => {
      await place.clock.advance(ADOPTION_MS);
      return witness.ranges.length > 0;
    };
    await expect.poll(isFound).toBe(true);
    expect(await readAll(journal, witness.ranges)).toEqual(['"left behind"']);
    expect(witness.failures).toHaveLength(1);
  });

  it('in the image of a container, where it cannot be renamed, is taken over file by file', async () => {
    const { journal, witness } = await succeed('EXDEV', 1);
    expect(witness.failures).toEqual([]);
    expect(await readAll(journal, witness.ranges)).toEqual(['"left behind"']);
    expect(await place.files('.segment')).toHaveLength(1);
    expect(await place.files('.acks')).toHaveLength(1);
  });
});
