import { cp, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DiskCall, FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { group, readAll } from '../../../contracts/journal-contract.ts';
import { numbered } from '../frames.ts';
import { MortalLocks, Place } from '../place.ts';

let places: Place[] = [];
let place: Place;
beforeEach(async () => {
  place = await Place.create();
  places = [place];
});
afterEach(() => Promise.all(places.map((place) => place.remove())));

/** As many processes as there are texts, killed after each wrote one event; each event is a second younger than the one before. */
async function leave(texts: readonly string[]): Promise<void> {
  const locks = new MortalLocks();
  for (const text of texts) {
    const { journal } = await place.open({ locks, fsync: 'never' });
    await place.clock.advance(1_000);
    const times = Float64Array.of(place.clock.now(), place.clock.now());
    const range = await journal.append({ ...group([text, '"delivered"']), times });
    await journal.acknowledge({ ...range, from: 1 });
  }
}

describe('the events that many processes left that lived briefly', () => {
  it('are in one file and one folder, each once, in the order of time', async () => {
    const texts = numbered(0, 40);
    await leave(texts);
    const { journal, witness } = await place.open({ locks: new MortalLocks() });
    expect([await place.files('.segment'), await place.files('.acks')]).toEqual([[expect.any(String)], []]);
    expect(witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(texts);
    for (const range of witness.ranges) await journal.acknowledge(range);
    await journal.close();
    expect(await readdir(place.directory)).toEqual([]);
  });

  it('keep the times at which they were accepted', async () => {
    await leave(numbered(0, 6));
    const { journal, witness } = await place.open({ locks: new MortalLocks() });
    const [range] = witness.ranges;
    const { events } = await journal.read(range ?? expect.fail(), { maxEvents: 9, maxBytes: 9_999 });
    const end = place.clock.now();
    expect([...(events.times ?? [])]).toEqual([5, 4, 3, 2, 1, 0].map((age) => end - age * 1_000));
  });

  it('stay in their files where they are few, or large, or damaged', async () => {
    await leave([
      ...numbered(0, 3),
      JSON.stringify('x'.repeat(300_000)),
      JSON.stringify('y'.repeat(300_000)),
    ]);
    const { journal, witness } = await place.open({ locks: new MortalLocks() });
    expect(await place.files('.segment')).toHaveLength(5);
    expect(await readAll(journal, witness.ranges)).toHaveLength(5);
  });

  it('are merged also where it is not known when one of them was accepted', async () => {
    const locks = new MortalLocks();
    for (let process = 0; process < 7; process += 1) {
      const { journal } = await place.open({ locks, fsync: 'never' });
      const times = Float64Array.of(process === 3 ? Number.NaN : place.clock.now());
      await journal.append({ ...group(numbered(process, 1)), times });
    }
    const { journal, witness } = await place.open({ locks: new MortalLocks() });
    expect(await place.files('.segment')).toHaveLength(2);
    expect((await readAll(journal, witness.ranges)).sort()).toEqual(numbered(0, 7));
  });

  it('stay in their files where each has many small ones', async () => {
    const locks = new MortalLocks();
    for (let process = 0; process < 6; process += 1) {
      const { journal } = await place.open({ locks, fsync: 'never' });
      await journal.append(group(Array(1_100).fill('1')));
    }
    const { witness } = await place.open({ locks: new MortalLocks() });
    expect([witness.ranges.length, (await place.files('.segment')).length]).toEqual([6, 6]);
  });

  it('are all there, each once, wherever the process that merges them is killed', async () => {
    const texts = numbered(0, 5);
    await leave(texts);
    const origin = place;
    /** Opens a journal in a copy of the place, and kills it after so many calls. Returns what the next process finds, and how. */
    async function killAfter(calls: number) {
      place = await Place.create();
      places.push(place);
      await cp(origin.directory, place.directory, { recursive: true });
      const fs = new FailingFileSystem();
      fs.dieAfter(calls);
      const killed = await place.open({ fs, locks: new MortalLocks() }).catch(() => undefined);
      const names = (await place.files('.segment')).map((path) => basename(path));
      const { journal, witness } = await place.open({ locks: new MortalLocks() });
      const found = await readAll(journal, witness.ranges);
      fs.heal();
      await killed?.journal.close();
      return { names, found, calls: fs.calls };
    }
    const { calls } = await killAfter(Number.POSITIVE_INFINITY);
    const isMerging = ({ operation }: DiskCall) => operation === 'create';
    for (let kill = calls.findIndex(isMerging); kill <= calls.length; kill += 1) {
      const { found } = await killAfter(kill);
      expect(found, `killed after ${kill} calls`).toEqual(texts);
    }
    // Also between the merge and the removal of what it replaces.
    const { names } = await killAfter(1 + calls.findIndex(({ path }) => path.endsWith('.merging') && path));
    expect(names).toHaveLength(5);
  });

  /** Six processes leave an event each, then one leaves these texts in files of about this size. Returns what the next one finds of them. */
  async function leaveBesideOthers(texts: readonly string[], segmentBytes: number): Promise<string[]> {
    const locks = new MortalLocks();
    for (let other = 0; other < 6; other += 1) {
      const { journal } = await place.open({ locks, fsync: 'never' });
      await journal.append({ ...group(numbered(100 + other, 1)), times: Float64Array.of(place.clock.now()) });
    }
    const { journal } = await place.open({ locks, fsync: 'never', segmentBytes });
    for (const text of texts) {
      await place.clock.advance(1_000);
      await journal.append({ ...group([text]), times: Float64Array.of(place.clock.now()) });
    }
    const { journal: next, witness } = await place.open({ locks: new MortalLocks() });
    return (await readAll(next, witness.ranges)).filter((text) => texts.includes(text));
  }

  it.each([
    ['larger files', 400 * 1024, 8],
    ['files of another merge', 160 * 1024, 24],
  ])('come in the order of their process, also beside its %s', async (_, segmentBytes, count) => {
    const texts = numbered(0, count, 'x'.repeat(60 * 1024));
    expect(await leaveBesideOthers(texts, segmentBytes)).toEqual(texts);
  });

  it('survive a power cut: no folder is removed before its files are synced in their new one', async () => {
    await leave(numbered(0, 6));
    const fs = new FailingFileSystem();
    await place.open({ fs, locks: new MortalLocks() });
    const names = fs.calls.map(({ operation, path }) => `${operation} ${basename(path)}`);
    const calls = names.slice(
      names.findIndex((name) => name.startsWith('rename') && name.endsWith('.segment')),
    );
    const removed = calls.findIndex((name) => name.startsWith('remove'));
    expect(calls.slice(0, removed).at(-1)).toMatch(/^syncDirectory /);
    expect(calls.slice(removed, -1).filter((name) => name.startsWith('rename'))).toHaveLength(1);
  });
});
