import { afterAll, describe, expect, it } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { SqliteJournal } from '../../../src/keep/sqlite/sqlite-journal.ts';
import type { SqliteDatabase } from '../../../src/keep/sqlite/sqlite-store.ts';
import { SqliteNote } from '../../../src/keep/sqlite/sqlite-store.ts';
import { Sqlite } from '../../bench/sqlite.ts';
import { describeJournal, group, readAll, Witness } from '../../contracts/journal-contract.ts';

const shared = new Sqlite();
afterAll(() => shared.close());
const clock = new VirtualClock();

describeJournal('SqliteJournal', {
  create: (name) => new SqliteJournal(shared, name, clock),
  survives: true,
});

/** As some libraries give bytes back. */
const buffers: SqliteDatabase = {
  async execute(sql, params) {
    const { rows } = await shared.execute(sql, params);
    const plain = (value: unknown) => (value instanceof Uint8Array ? new Uint8Array(value).buffer : value);
    return {
      rows: rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
      ),
    };
  },
};

describeJournal('SqliteJournal, on a library that gives bytes back as an ArrayBuffer', {
  create: (name) => new SqliteJournal(buffers, name, clock),
  survives: true,
});

/** A journal in a database, open, and what it found. */
async function open(
  database: SqliteDatabase,
  place = 'a',
): Promise<{ journal: SqliteJournal; witness: Witness }> {
  const journal = new SqliteJournal(database, place, clock);
  const witness = new Witness();
  await journal.open(witness);
  return { journal, witness };
}

const part = (range: Range, from: number, to: number) => ({
  ...range,
  from: range.from + from,
  to: range.from + to,
});

describe('SqliteJournal', () => {
  it('hands on only what is not released of a parcel, and deletes the parcel once all of it is', async () => {
    const database = new Sqlite();
    const first = await open(database);
    const range = await first.journal.append(group(['0', '1', '2', '3', '4', '5']));
    await first.journal.acknowledge(part(range, 1, 3));
    await first.journal.acknowledge(part(range, 5, 6));
    await first.journal.close();

    const second = await open(database);
    expect(await readAll(second.journal, second.witness.ranges)).toEqual(['0', '3', '4']);
    for (const found of second.witness.ranges) await second.journal.acknowledge(found);
    for (const table of ['sluice_parcels', 'sluice_rests'])
      expect((await database.execute(`SELECT * FROM ${table}`)).rows).toEqual([]);
    await second.journal.close();
  });

  it('deletes a parcel that two releases ended, of which the second was killed before it did so', async () => {
    const database = new Sqlite();
    const first = await open({
      execute: async (sql, params) =>
        sql.startsWith('DELETE') ? { rows: [] } : database.execute(sql, params),
    });
    const range = await first.journal.append(group(['1', '2']));
    await Promise.all([0, 1].map((at) => first.journal.acknowledge(part(range, at, at + 1))));
    await first.journal.close();

    const { journal, witness } = await open(database);
    expect(witness.ranges).toEqual([]);
    expect(journal.bytes).toBe(0);
    for (const table of ['sluice_parcels', 'sluice_rests'])
      expect((await database.execute(`SELECT * FROM ${table}`)).rows).toEqual([]);
  });

  it('notes with a later release what it could not note, and deletes nothing between that still waits', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    const ranges: Range[] = [];
    for (const text of ['0', '1', '2', '3', '4'])
      ranges.push(await journal.append(group([text, `${text}x`])));
    const [first, second, , fourth, last] = ranges as [Range, Range, Range, Range, Range];
    database.failure = new Error('database is locked');
    for (const range of [first, part(second, 0, 1), part(fourth, 0, 1), last])
      await expect(journal.acknowledge(range)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    database.failure = undefined;
    await journal.acknowledge(part(fourth, 1, 2));
    await expect
      .poll(async () => (await database.execute('SELECT first FROM sluice_parcels')).rows)
      .toEqual([{ first: 2 }, { first: 4 }]);
    await journal.close();
    expect((await database.execute('SELECT first FROM sluice_rests')).rows).toEqual([{ first: 2 }]);
    const next = await open(database);
    expect(await readAll(next.journal, next.witness.ranges)).toEqual(['1x', '2', '2x']);
  });

  it('notes when it is closed what it could not note before', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    const range = await journal.append(group(['1']));
    database.failure = new Error('database is locked');
    await expect(journal.acknowledge(range)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    database.failure = undefined;
    await journal.close();
    expect((await database.execute('SELECT * FROM sluice_parcels')).rows).toEqual([]);
  });

  it('only adds rows and deletes them: no parcel is written again', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    const ranges = [];
    for (let number = 0; number < 20; number += 1)
      ranges.push(await journal.append(group([`${number}`, '"x"'])));
    const last = ranges.at(-1);
    if (ranges[0] && last) await journal.acknowledge({ ...ranges[0], from: 1, to: last.to - 1 });
    expect(
      database.statements.filter((sql) => /^(?:UPDATE|REPLACE)|OR REPLACE INTO sluice_parcels/.test(sql)),
    ).toEqual([]);
    // One deletion for all parcels in between.
    expect(database.statements.filter((sql) => sql.startsWith('DELETE'))).toHaveLength(1);
    expect((await database.execute('SELECT first FROM sluice_parcels')).rows).toEqual([
      { first: 0 },
      { first: 38 },
    ]);
    await journal.close();
  });

  it('keeps the events of two places apart', async () => {
    const database = new Sqlite();
    const one = await open(database, 'one');
    await one.journal.append(group(['1']));
    await one.journal.close();
    expect((await open(database, 'other')).witness.ranges).toEqual([]);
    expect((await open(database, 'one')).witness.ranges).toHaveLength(1);
  });

  it('does not say that events survive a power cut where another connection holds up the checkpoint', async () => {
    const database = new Sqlite();
    const { journal } = await open({
      execute: async (sql, params) =>
        sql.includes('wal_checkpoint')
          ? { rows: [{ busy: 1, log: 4, checkpointed: 3 }] }
          : database.execute(sql, params),
    });
    await journal.append(group(['1']));
    await expect(journal.sync()).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('holds up the checkpoint'),
    });
  });

  it('says when the oldest of what it found was accepted', async () => {
    const database = new Sqlite();
    const first = await open(database);
    await first.journal.append({ ...group(['1', '2']), times: Float64Array.of(1_000, 2_000) });
    await first.journal.close();
    const times: unknown[] = [];
    const journal = new SqliteJournal(database, 'a', clock);
    await journal.open({ recovered: (_range, at) => times.push(at), damaged: () => {}, failed: () => {} });
    expect(times).toEqual([1_000]);
  });

  it('rejects what fails, keeps nothing of it, and works again', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    const kept = await journal.append(group(['1']));
    database.failure = new Error('disk I/O error');
    for (const work of [
      () => journal.append(group(['2'])),
      () => journal.sync(),
      () => journal.read(kept, { maxEvents: 1, maxBytes: 9 }),
    ])
      await expect(work()).rejects.toMatchObject({
        code: 'SLUICE_STORAGE',
        message: expect.stringMatching(/in SQLite: disk I\/O error/),
      });
    database.failure = undefined;
    expect(journal.bytes).toBe(1);
    const later = await journal.append(group(['3']));
    expect(await readAll(journal, [kept, later])).toEqual(['1', '3']);
    await journal.close();
    const { witness, journal: next } = await open(database);
    expect(await readAll(next, witness.ranges)).toEqual(['1', '3']);
  });

  it('looks again for what was left, if it could not look when it was opened', async () => {
    const database = new Sqlite();
    const first = await open(database);
    await first.journal.append(group(['1']));
    await first.journal.close();
    database.failure = new Error('database is locked');
    const own = new VirtualClock();
    const journal = new SqliteJournal(database, 'a', own);
    const witness = new Witness();
    await expect(journal.open(witness)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    database.failure = undefined;
    await own.advance(30_000);
    await expect.poll(() => witness.ranges.length).toBe(1);
    await journal.close();
    expect(own.timers).toBe(0);
  });

  it('does not look again once it is closed, even if it could not look only after that', async () => {
    const database = new Sqlite();
    database.failure = new Error('database is locked');
    const own = new VirtualClock();
    const journal = new SqliteJournal(database, 'a', own);
    const opening = expect(journal.open(new Witness())).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await Promise.all([opening, journal.close()]);
    expect(own.timers).toBe(0);
  });

  it('skips a parcel that is damaged or gone, and reads on behind it', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    const ranges = [
      await journal.append(group(['1'])),
      await journal.append(group(['2'])),
      await journal.append(group(['3'])),
    ];
    await database.execute("UPDATE sluice_parcels SET events = x'00ff' WHERE first = 0");
    await database.execute('DELETE FROM sluice_parcels WHERE first = 1');
    const [first] = ranges;
    if (first) expect(await readAll(journal, [{ ...first, to: 3 }])).toEqual(['3']);
  });

  it.each(['no JSON', '{}', '[null]', '[{"from":0}]', '[{"from":0,"to":1000000}]', '[{"from":1,"to":0}]'])(
    'delivers a parcel as a whole, and those behind it, where what is left of it is noted as %s',
    async (rest) => {
      const database = new Sqlite();
      const before = await open(database);
      const range = await before.journal.append(group(['1', '2']));
      await before.journal.append(group(['3']));
      await before.journal.acknowledge({ ...range, to: range.from + 1 });
      await before.journal.close();
      await database.execute('UPDATE sluice_rests SET rest = ?', [rest]);
      const { journal, witness } = await open(database);
      expect(await readAll(journal, witness.ranges)).toEqual(['1', '2', '3']);
    },
  );

  it('creates its tables again if somebody deleted them', async () => {
    const database = new Sqlite();
    const { journal } = await open(database);
    await database.execute('DROP TABLE sluice_parcels');
    await expect(journal.append(group(['1']))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    const range = await journal.append(group(['2']));
    expect(await readAll(journal, [range])).toEqual(['2']);
  });

  it('gives up the oldest parcel first, of previous lives before its own', async () => {
    const database = new Sqlite();
    const first = await open(database);
    await first.journal.append(group(['1']));
    await first.journal.close();
    const { journal, witness } = await open(database);
    const own = await journal.append(group(['2']));
    expect(await journal.evictOldest()).toBe(true);
    expect(await readAll(journal, [own])).toEqual(['2']);
    expect(await journal.evictOldest()).toBe(true);
    expect(await journal.evictOldest()).toBeUndefined();
    expect(witness.settlements.map(({ fate }) => fate)).toEqual(['journal-full', 'journal-full']);
    expect((await database.execute('SELECT * FROM sluice_parcels')).rows).toEqual([]);
  });

  it('gives up nothing where it cannot delete the oldest parcel', async () => {
    const database = new Sqlite();
    const { journal, witness } = await open(database);
    const range = await journal.append(group(['1', '2']));
    await journal.acknowledge(part(range, 0, 1));
    database.failure = new Error('database is locked');
    await expect(journal.evictOldest()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    database.failure = undefined;
    expect(witness.settlements).toEqual([]);
    expect(journal.bytes).toBe(3);
    expect(await readAll(journal, [part(range, 1, 2)])).toEqual(['2']);

    // The last event is delivered as the parcel is deleted.
    await Promise.all([journal.evictOldest(), journal.acknowledge(part(range, 1, 2))]);
    expect(witness.settlements).toMatchObject([{ fate: 'journal-full' }]);
    for (const table of ['sluice_parcels', 'sluice_rests'])
      expect((await database.execute(`SELECT * FROM ${table}`)).rows).toEqual([]);
  });
});

describe('SqliteNote', () => {
  it('is found by the next process, and changes one after the other', async () => {
    const database = new Sqlite();
    const note = new SqliteNote(database, 'a');
    expect(await note.read()).toBeUndefined();
    await Promise.all(['x', 'y'].map((letter) => note.change((text = '') => text + letter)));
    expect(await new SqliteNote(database, 'a').read()).toBe('xy');
    expect(await new SqliteNote(database, 'b').read()).toBeUndefined();
    database.failure = new Error('disk I/O error');
    await expect(note.read()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
  });

  it('digests a text with a key of its own: the next process gets the same, and another place another', async () => {
    const database = new Sqlite();
    const digest = await new SqliteNote(database, 'a').digest('ada@example.com');
    expect(await new SqliteNote(database, 'a').digest('ada@example.com')).toBe(digest);
    expect(await new SqliteNote(database, 'a').digest('bob@example.com')).not.toBe(digest);
    expect(await new SqliteNote(database, 'b').digest('ada@example.com')).not.toBe(digest);
    database.failure = new Error('disk I/O error');
    expect(await new SqliteNote(database, 'a').digest('ada@example.com')).not.toBe(digest);
  });
});
