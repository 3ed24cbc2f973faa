import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FileJournal } from '../../src/journals/file/file-journal.ts';
import { platform } from '../../src/platform/node.ts';
import { describeJournal, group, readAll, Witness } from '../contracts/journal-contract.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const { clock } = platform;

for (const fsync of ['always', 'interval', 'never'] as const) {
  describeJournal(`FileJournal with fsync ${fsync}`, {
    create: (place) => new FileJournal({ directory: join(scratch, place), fsync, clock }),
    survives: true,
  });
}

describe('FileJournal', () => {
  let directory = '';

  beforeEach(async () => {
    directory = await mkdtemp(join(scratch, 'place-'));
  });

  function create(segmentBytes?: number): FileJournal {
    return new FileJournal({ directory, fsync: 'interval', clock, ...(segmentBytes && { segmentBytes }) });
  }

  async function open(journal = create()): Promise<{ journal: FileJournal; witness: Witness }> {
    const witness = new Witness();
    await journal.open(witness);
    return { journal, witness };
  }

  /** What a life leaves that appends these groups and ends. */
  async function leave(groups: string[][], segmentBytes?: number): Promise<void> {
    const { journal } = await open(create(segmentBytes));
    for (const texts of groups) await journal.append(group(texts));
    await journal.close();
  }

  async function files(suffix: string): Promise<string[]> {
    const names = await readdir(directory, { recursive: true });
    return names.filter((name) => name.endsWith(suffix)).map((name) => join(directory, name));
  }

  async function theSegment(): Promise<string> {
    const [path, ...others] = await files('.segment');
    if (path === undefined || others.length > 0) throw new Error('there is not exactly one segment');
    return path;
  }

  it('follows a full segment with a new one, and deletes a segment once all of it is released', async () => {
    const { journal } = await open(create(1_000));
    const ranges = [];
    for (let number = 0; number < 10; number += 1)
      ranges.push(await journal.append(group(['"x"'.repeat(1), `"${'y'.repeat(400)}"`])));
    expect((await files('.segment')).length).toBeGreaterThan(3);
    expect(new Set(ranges.map((range) => range.segment)).size).toBeGreaterThan(3);
    for (const range of ranges) await journal.acknowledge(range);
    expect((await files('.segment')).length).toBeLessThanOrEqual(1);
    await journal.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('makes its directories for the user alone, and its files too', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['1', '2']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    for (const name of await readdir(directory, { recursive: true })) {
      const entry = await stat(join(directory, name));
      expect(entry.mode & 0o777, name).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
    await journal.close();
  });

  it('delivers every event but the one in which a bit flipped, and keeps the damaged file aside', async () => {
    const events = Array.from({ length: 20 }, (_, number) => JSON.stringify({ number }));
    await leave([events]);
    const path = await theSegment();
    const bytes = await readFile(path);
    const at = bytes.indexOf('{"number":7}') + 5;
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    await writeFile(path, bytes);

    const { journal, witness } = await open();
    expect(await readAll(journal, witness.ranges)).toEqual(events.filter((_, number) => number !== 7));
    expect(witness.damages).toEqual([{ place: expect.stringContaining('.segment'), bytes: 18 + 12 }]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    await journal.close();
    expect(await files('.damaged')).toHaveLength(1);
    expect(await files('.segment')).toEqual([]);
  });

  it('acknowledges by number, so that a damaged event before others does not shift what was released', async () => {
    const events = Array.from({ length: 6 }, (_, number) => JSON.stringify({ number }));
    const { journal } = await open();
    const range = await journal.append(group(events));
    await journal.acknowledge({ ...range, to: range.from + 3 });
    await journal.close();
    const path = await theSegment();
    const bytes = await readFile(path);
    bytes.fill(0, 32, 32 + 20);
    await writeFile(path, bytes);

    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(events.slice(3));
    await second.journal.close();
  });

  it('survives random damage: never a crash, no damaged event, every intact one', async () => {
    let seed = 20261121;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < 60; round += 1) {
      directory = await mkdtemp(join(scratch, 'damaged-'));
      const events = Array.from({ length: 40 }, (_, number) =>
        JSON.stringify({ number, pad: 'p'.repeat(random(90)) }),
      );
      await leave([events.slice(0, 15), events.slice(15)]);
      const path = await theSegment();
      const original = await readFile(path);
      let bytes = Buffer.from(original);
      const at = random(bytes.length);
      const length = 1 + random(200);
      if (round % 4 === 0) bytes = bytes.subarray(0, at);
      else if (round % 4 === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      else if (round % 4 === 2) bytes.fill(0, at, at + length);
      else
        for (let place = at; place < Math.min(bytes.length, at + length); place += 1)
          bytes[place] = random(256);
      await writeFile(path, bytes);

      const { journal, witness } = await open();
      const found = await readAll(journal, witness.ranges);
      // Intact is an event of which neither the text nor the header before it was touched.
      const intact = events.filter((text) => {
        const start = original.indexOf(text) - 18;
        const end = start + 18 + text.length;
        return bytes.subarray(start, end).equals(original.subarray(start, end));
      });
      expect(found, `round ${round}`).toEqual(intact);
      await journal.close();
    }
  });

  it('keeps what waits of a segment whose end is gone, though what was released of that end is known', async () => {
    const events = Array.from({ length: 10 }, (_, number) => JSON.stringify({ number }));
    const { journal } = await open();
    const range = await journal.append(group(events));
    await journal.acknowledge({ ...range, from: range.from + 3 });
    await journal.close();
    const path = await theSegment();
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.indexOf('{"number":5}') - 18));

    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(events.slice(0, 3));
    await second.journal.close();
    expect(await files('.segment')).toHaveLength(1);
  });

  it('reads the acknowledgements behind one that was cut short', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['0', '1', '2', '3']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    const [acks = ''] = await files('.acks');
    await writeFile(acks, Buffer.concat([await readFile(acks), Buffer.from([1, 2, 3, 4, 5])]));
    await journal.acknowledge({ ...range, from: range.from + 1, to: range.from + 2 });
    await journal.close();
    const second = await open();
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(['2', '3']);
    await second.journal.close();
  });

  it('says of a segment that somebody deleted that nothing of it can be read', async () => {
    const { journal } = await open();
    const range = await journal.append(group(['1', '2']));
    await rm(await theSegment());
    expect(await readAll(journal, [range])).toEqual([]);
    await journal.close();
  });

  it('leaves to the living what is theirs when it is closed while it opens', async () => {
    directory = join(directory, 'd'.repeat(100));
    const living = await Promise.all([open(), open(), open()]);
    const ranges = await Promise.all(
      living.map(({ journal }, life) => journal.append(group([`"life ${life}"`]))),
    );
    for (let round = 0; round < 20; round += 1) {
      const hasty = create();
      const opening = hasty.open(new Witness());
      await hasty.close();
      await opening.catch(() => undefined);
    }
    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    for (const [life, { journal }] of living.entries()) {
      expect(await readAll(journal, ranges.slice(life, life + 1))).toEqual([`"life ${life}"`]);
      await journal.close();
    }
    await journal.close();
  });

  it('accepts an empty segment, as a power cut leaves them', async () => {
    await leave([['1']]);
    await writeFile(await theSegment(), '');
    const { journal, witness } = await open();
    expect(witness).toMatchObject({ ranges: [], damages: [], failures: [] });
    await journal.close();
    expect(await files('.segment')).toEqual([]);
  });

  it('leaves foreign files and segments of another version where they are, sets aside what is no segment, and says so', async () => {
    await leave([['1']]);
    const path = await theSegment();
    const bytes = await readFile(path);
    bytes[8] = 2;
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
    await writeFile(path, bytes);
    await writeFile(join(path, '..', 'notes.txt'), 'mine');
    await writeFile(join(path, '..', '99999999.segment'), 'not a segment');
    await mkdir(join(directory, 'somebody'), { mode: 0o700 });

    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    expect(witness.failures.map((error) => error.message)).toEqual([
      expect.stringContaining('another version'),
    ]);
    expect(witness.damages).toEqual([{ place: expect.stringContaining('99999999.segment'), bytes: 13 }]);
    await journal.close();
    expect(await files('.segment')).toHaveLength(1);
    expect(await files('.damaged')).toHaveLength(1);
    expect(await files('notes.txt')).toHaveLength(1);
    expect(await readdir(directory)).toContain('somebody');
  });

  it('follows no symbolic link', async () => {
    await leave([['1']]);
    const path = await theSegment();
    const elsewhere = join(scratch, 'elsewhere.segment');
    await writeFile(elsewhere, await readFile(path));
    await rm(path);
    await symlink(elsewhere, path);
    const { journal, witness } = await open();
    expect(witness.ranges).toEqual([]);
    await journal.close();
  });

  it('rejects where it cannot be opened, says where and why, and works once the cause is gone', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const journal = new FileJournal({ directory: join(file, 'journal'), fsync: 'never', clock });
    const error = { code: 'SLUICE_STORAGE', message: expect.stringContaining('a-file') };
    await expect(journal.open(new Witness())).rejects.toMatchObject(error);
    await expect(journal.append(group(['1']))).rejects.toMatchObject(error);
    await rm(file);
    const range = await journal.append(group(['1']));
    expect(await readAll(journal, [range])).toEqual(['1']);
    await journal.close();
  });

  it('works in a directory whose path is too long for a socket', async () => {
    directory = join(directory, 'd'.repeat(100), 'e'.repeat(100));
    await leave([['1', '2']]);
    const { journal, witness } = await open();
    expect(await readAll(journal, witness.ranges)).toEqual(['1', '2']);
    await journal.close();
  });

  it('writes at once, on this thread, when asked to', async () => {
    const { journal } = await open();
    const first = await journal.append(group(['1']));
    expect(journal.appendSync(group(['2', '3']))).toEqual({ ...first, from: 1, to: 3 });
    await journal.close();
    const unopened = create();
    unopened.appendSync(group(['4']));
    const { journal: heir, witness } = await open();
    expect((await readAll(heir, witness.ranges)).sort()).toEqual(['1', '2', '3', '4']);
    await heir.close();
    await chmod(directory, 0o700);
  });

  it('hands each orphan to exactly one of many that open at once', async () => {
    for (let life = 0; life < 5; life += 1) await leave([[`"life ${life}"`]]);
    const heirs = await Promise.all(Array.from({ length: 8 }, () => open()));
    const found = await Promise.all(heirs.map(({ journal, witness }) => readAll(journal, witness.ranges)));
    expect(found.flat().sort()).toEqual([0, 1, 2, 3, 4].map((life) => `"life ${life}"`));
    for (const { journal } of heirs) await journal.close();
  });
});
