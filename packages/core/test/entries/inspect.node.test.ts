import { chmod, mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  inspectJournal,
  journalDirectoryOf,
  type SlotReport,
  storedDeadLetters,
  storedEvents,
  verifyJournal,
} from '../../src/entries/inspect/inspect.ts';
import { writeLetter } from '../../src/parts/dead-letters/dead-letter.ts';
import { group } from '../contracts/journal-contract.ts';
import { framesOf, numbered } from '../keep/file/frames.ts';
import { Place } from '../keep/file/place.ts';

const HEADER_BYTES = 32;
const FRAME_BYTES = framesOf(['"event 0"']).length;
const TEXTS = ['"event 0"', '"event 1"', '"event 2"', '"event 3"'];

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Leaves four events in one segment. */
async function leave(): Promise<void> {
  const { journal } = await place.open();
  await journal.append(group(TEXTS));
  await journal.close();
}

/** Overwrites a byte of the only segment. */
async function spoil(at: number): Promise<void> {
  const file = await open(await place.theSegment(), 'r+');
  await file.write('X', at);
  await file.close();
}

/** All files and directories, with what would change if somebody wrote. */
async function snapshot(): Promise<unknown[]> {
  const names = (await readdir(place.directory, { recursive: true })).sort();
  return Promise.all(
    ['.', ...names].map(async (name) => {
      const status = await stat(join(place.directory, name));
      const { ino, mode, size, mtimeMs, ctimeMs } = status;
      const text = status.isFile() ? (await readFile(join(place.directory, name))).toString('hex') : '';
      return { name, ino, mode, size, mtimeMs, ctimeMs, text };
    }),
  );
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const waitingIn = (slots: readonly SlotReport[]) =>
  slots.flatMap(({ segments }) => segments).reduce((sum, { waiting }) => sum + waiting, 0);

describe('inspectJournal', () => {
  it('tells what waits, what is released, since when, and whether the owner is alive', async () => {
    const { journal } = await place.open();
    const range = await journal.append({
      ...group(TEXTS),
      times: Float64Array.of(5_000, 6_000, 7_000, 8_000),
    });
    await journal.acknowledge({ ...range, to: 2 });
    const [slot] = (await inspectJournal(place.directory)).events;
    expect(slot).toMatchObject({ isAlive: true, segments: [{ waiting: 2, released: 2, damagedBytes: 0 }] });
    await journal.close();
    const report = await inspectJournal(place.directory);
    expect(report).toMatchObject({
      deadLetters: [],
      held: [],
      setAside: { count: 0 },
      unanswered: undefined,
    });
    expect(report.events).toMatchObject([{ isAlive: false, segments: [{ waiting: 2, released: 2 }] }]);
    expect(await all(storedEvents(place.directory))).toEqual(
      TEXTS.map((text, index) => ({ text, isReleased: index < 2 })),
    );
  });

  it('changes nothing, whether a process lives there, left, or died in the middle of a merge', async () => {
    await leave();
    const [directory = ''] = (await inspectJournal(place.directory)).events.map((slot) => slot.directory);
    await writeFile(join(directory, '00000001-00000009.merging'), 'half');
    const { journal } = await place.open();
    await journal.append(group(['"mine"']));
    await journal.sync();
    const before = await snapshot();
    await inspectJournal(place.directory);
    await all(verifyJournal(place.directory));
    await all(storedEvents(place.directory));
    await all(storedDeadLetters(place.directory));
    expect(await snapshot()).toEqual(before);
  });

  it('counts the events of a merged segment, and not those that it replaces', async () => {
    await leave();
    const path = await place.theSegment();
    await writeFile(path.replace('00000001.segment', '00000001-00000003.segment'), await readFile(path), {
      mode: 0o600,
    });
    expect(waitingIn((await inspectJournal(place.directory)).events)).toBe(4);
  });

  it('tells of a segment of another version', async () => {
    await leave();
    const path = await place.theSegment();
    const header = Buffer.alloc(HEADER_BYTES);
    (await readFile(path)).copy(header);
    header[8] = 3;
    header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
    await writeFile(path, header);
    const [slot] = (await inspectJournal(place.directory)).events;
    expect(slot?.segments).toMatchObject([{ isForeign: true, waiting: 0 }]);
    expect(await all(verifyJournal(place.directory))).toMatchObject([{ isForeign: true, damage: [] }]);
  });

  it('reads the note of processes that saw no answer, and what was set aside', async () => {
    await mkdir(join(place.directory, 'damaged'), { mode: 0o700 });
    await writeFile(join(place.directory, 'damaged', 'x.damaged'), '12345', { mode: 0o600 });
    await writeFile(join(place.directory, 'unanswered'), '3 1700000000000', { mode: 0o600 });
    const { unanswered, setAside } = await inspectJournal(place.directory);
    expect(unanswered).toEqual({ processes: 3, until: 1_700_000_000_000 });
    expect(setAside).toEqual({ count: 1, bytes: 5 });
  });

  it('says which directory is missing, is none, or is not ours', async () => {
    const missing = join(place.directory, 'missing');
    await expect(inspectJournal(missing)).rejects.toThrow(
      `there is no directory ${missing}: correct the path`,
    );
    await writeFile(missing, '');
    await expect(inspectJournal(missing)).rejects.toThrow(
      `${missing} is no directory: give that of a journal`,
    );
    await rm(missing);
    await chmod(place.directory, 0o777);
    await expect(inspectJournal(place.directory)).rejects.toThrow(place.directory);
  });
});

describe('verifyJournal', () => {
  it('finds nothing wrong with an intact journal', async () => {
    await leave();
    expect(await all(verifyJournal(place.directory))).toMatchObject([{ events: 4, missing: 0, damage: [] }]);
  });

  it('says in which bytes the damage is', async () => {
    await leave();
    await spoil(HEADER_BYTES + FRAME_BYTES + 24);
    const from = HEADER_BYTES + FRAME_BYTES;
    expect(await all(verifyJournal(place.directory))).toMatchObject([
      { path: await place.theSegment(), events: 3, missing: 1, damage: [{ from, to: from + FRAME_BYTES }] },
    ]);
  });

  it('says where a file ends in the middle of an event', async () => {
    await leave();
    const { size } = await stat(await place.theSegment());
    await truncate(await place.theSegment(), size - 3);
    const damage = [{ from: size - FRAME_BYTES, to: size - 3 }];
    expect(await all(verifyJournal(place.directory))).toMatchObject([{ events: 3, damage }]);
  });

  it('reads the events behind a damaged header, and calls the header damaged', async () => {
    await leave();
    await spoil(20);
    const damage = [{ from: 0, to: HEADER_BYTES }];
    expect(await all(verifyJournal(place.directory))).toMatchObject([{ events: 4, damage }]);
  });

  it('finds that events are missing though every byte is intact', async () => {
    await leave();
    const path = await place.theSegment();
    const bytes = await readFile(path);
    const cut = HEADER_BYTES + FRAME_BYTES;
    await writeFile(path, Buffer.concat([bytes.subarray(0, cut), bytes.subarray(cut + FRAME_BYTES)]));
    const found = { events: 3, missing: 1, damage: [{ from: cut, to: cut }] };
    expect(await all(verifyJournal(place.directory))).toMatchObject([found]);
  });

  it('reads a file of many parts', async () => {
    const { journal } = await place.open();
    await journal.append(group(numbered(0, 3_000, 'p'.repeat(100))));
    await journal.close();
    expect(await all(verifyJournal(place.directory))).toMatchObject([
      { events: 3_000, missing: 0, damage: [] },
    ]);
  });
});

describe('storedDeadLetters', () => {
  it('reads what the service refused, and who keeps it', async () => {
    const event = { event: 'purchase', payload: { total: 1 } };
    const refusal = { status: 422, excerpt: 'no such field' };
    const text = writeLetter(Buffer.from(JSON.stringify(event)), refusal, place.clock.now());
    const { journal } = await place.open({ directory: join(place.directory, 'dead-letters') });
    await journal.append(group([text]));
    const [kept] = await all(storedDeadLetters(place.directory));
    expect(kept).toMatchObject({ isAlive: true, letter: { ...refusal, event } });
    await journal.close();
    expect(await all(storedDeadLetters(place.directory))).toEqual([{ ...kept, isAlive: false }]);
    expect(waitingIn((await inspectJournal(place.directory)).deadLetters)).toBe(1);
  });
});

it('names the directory of what cannot be read', async () => {
  await writeFile(join(place.directory, 'dead-letters'), '');
  const message = `cannot read the journal in ${place.directory}: `;
  await expect(all(storedDeadLetters(place.directory))).rejects.toThrow(message);
  await expect(all(verifyJournal(place.directory))).rejects.toThrow(message);
});

describe('journalDirectoryOf', () => {
  it('is where a tracker with these options keeps its events', () => {
    const names = { baseUrl: 'HTTP://Example.com', correlationKey: 'email' };
    expect(journalDirectoryOf(names)).toBe(journalDirectoryOf({ ...names, baseUrl: 'http://example.com/' }));
    for (const other of [{ account: 'two' }, { destination: { path: '/orders' } }])
      expect(journalDirectoryOf(names)).not.toBe(journalDirectoryOf({ ...names, ...other }));
    expect(journalDirectoryOf({ ...names, apiKey: 'another key' })).toBe(journalDirectoryOf(names));
  });
});
