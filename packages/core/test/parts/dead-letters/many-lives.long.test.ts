import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeadLetters } from '../../../src/parts/dead-letters/dead-letters.ts';
import { LetterArchive } from '../../../src/parts/dead-letters/letter-archive.ts';
import { Books } from '../../../src/tell/books.ts';
import { Reporter } from '../../../src/tell/reporter.ts';
import { toEventBytes } from '../../bench/event-texts.ts';
import { Place } from '../../keep/file/place.ts';

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

const LIVES = 91;
const DAY_MS = 24 * 60 * 60_000;

/** The dead letters of one process. */
function start() {
  const { clock } = place;
  const [maxBytes, maxAgeMs] = [16 * 1024 * 1024, 30 * DAY_MS];
  const reporter = new Reporter(new Books(), clock);
  const archive = new LetterArchive({
    ...{ journal: place.create({ maxBytes }), clock, maxBytes, maxAgeMs, reporter },
  });
  const journal = { groupLimit: { maxEvents: 100, maxBytes: 100_000 } };
  const waiting = { replay: async () => {} };
  const letters = archive.deadLetters(journal, waiting, () => {});
  return { archive, letters };
}

/** A process that has one event refused, and ends. */
async function live(number: number): Promise<void> {
  const { archive } = start();
  await archive.keep({ events: toEventBytes([JSON.stringify({ number })]) }, { status: 400, excerpt: '' });
  await archive.close();
}

/** The numbers of the events, in the order of their letters. */
async function list(letters: DeadLetters): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { event } of letters.list()) found.push(event.number);
  return found;
}

/** The open files of this process in the place. */
async function openFiles(): Promise<string[]> {
  const files = await readdir('/proc/self/fd').catch((): string[] => []);
  const paths = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(place.directory));
}

it('the dead letters of 91 lives lie in a handful of files and folders, each once, and none stays open', async () => {
  const most = { folders: 0, files: 0 };
  for (let life = 0; life < LIVES; life += 1) {
    await live(life);
    await place.clock.advance(1_000);
    const names = await readdir(place.directory, { recursive: true });
    most.files = Math.max(most.files, names.filter((name) => name.includes('.segment')).length);
    most.folders = Math.max(most.folders, (await readdir(place.directory)).length);
  }
  expect(most.folders).toBeLessThan(7);
  expect(most.files).toBeLessThan(7);
  const { archive, letters } = start();
  expect(await list(letters)).toEqual(Array.from({ length: LIVES }, (_, life) => life));
  expect(await letters.count()).toBe(LIVES);
  await archive.close();
  expect(await openFiles()).toEqual([]);
});

it('dead letters that were merged are deleted by their ids, and stay deleted', async () => {
  for (let life = 0; life < 12; life += 1) await live(life);
  const first = start();
  expect(await first.letters.purge(({ event }) => Number(event.number) % 2 === 0)).toBe(6);
  await first.archive.close();
  for (let life = 12; life < 24; life += 1) await live(life);
  const second = start();
  const left = [1, 3, 5, 7, 9, 11, ...Array.from({ length: 12 }, (_, life) => life + 12)];
  expect((await list(second.letters)).sort((one, other) => Number(one) - Number(other))).toEqual(left);
  await second.archive.close();
});

it('of dead letters that were merged, each goes after its own 30 days', async () => {
  for (let life = 0; life < 12; life += 1) {
    await live(life);
    await place.clock.advance(DAY_MS);
  }
  await place.clock.advance(24 * DAY_MS);
  const { archive, letters } = start();
  expect(await list(letters)).toEqual([6, 7, 8, 9, 10, 11]);
  expect(await readdir(join(place.directory))).not.toHaveLength(0);
  await archive.close();
});
