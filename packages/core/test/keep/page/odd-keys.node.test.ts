import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { splitEvents } from '../../../src/base/event-bytes.ts';
import { createIndexedDbJournal, type IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { IndexedDbStore } from '../../../src/keep/page/indexeddb-store.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { group, Witness } from '../../contracts/journal-contract.ts';

const locks = new FakeLocks();

function create(place: string): IndexedDbJournal {
  return createIndexedDbJournal(place, { locks }, systemClock);
}

/** Another script of the origin writes a value under each key. */
async function write(place: string, keys: readonly IDBValidKey[], value: unknown = 'odd'): Promise<void> {
  const store = new IndexedDbStore(place, systemClock, () => {});
  await store.use('readwrite', (objects) => {
    for (const key of keys) objects.put(value, key);
  });
  store.close();
}

async function keysIn(place: string): Promise<IDBValidKey[]> {
  const store = new IndexedDbStore(place, systemClock, () => {});
  const { result } = await store.use('readonly', (objects) => objects.getAllKeys());
  store.close();
  return result;
}

/** Opens a page. Returns what it found, and how many events it believes to have. */
async function visit(place: string) {
  const journal = create(place);
  const witness = new Witness();
  await journal.open(witness);
  const { pause, bytes } = journal;
  const texts: string[] = [];
  for (const range of witness.ranges) {
    const { events } = await journal.read(range, { maxEvents: 500, maxBytes: 1_000 });
    texts.push(...splitEvents(events).map((text) => new TextDecoder().decode(text)));
    // As a tracker does.
    if (events.ends.length === 0) await journal.acknowledge(range, 'damaged');
  }
  // Removed by now: transactions of one store run in order.
  await journal.sync();
  await journal.close();
  const { damages, failures } = witness;
  return { texts, damages, failures, pause, bytes };
}

async function leave(place: string): Promise<void> {
  const journal = create(place);
  await journal.append(group(['1', '2']));
  await journal.sync();
  await journal.close();
}

const HUGE = 2 ** 53;
const ODD: readonly (readonly [name: string, key: IDBValidKey])[] = [
  ['a number', 7],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['infinity', Number.POSITIVE_INFINITY],
  ['a text', 'cart'],
  ['an empty text', ''],
  ['a date', new Date(0)],
  ['bytes', new Uint8Array([1, 2])],
  ['an empty array', []],
  ['one element', ['life']],
  ['two elements', ['life', 0]],
  ['a life and a range without a size', ['life', 0, 1]],
  ['five elements', ['life', 0, 1, 2, 3]],
  ['a lease with one element less', ['life', 0, 1, -1, 5, 5]],
  ['a lease with one element more', ['life', 0, 1, -1, 5, 5, 1, 1]],
  ['a record with a time', ['life', 0, 1, 2, 5, 5]],
  ['a lease without a time', ['life', 0, 1, -1]],
  ['texts', ['life', 'a', 'b', 'c']],
  ['dates', ['life', new Date(0), new Date(1), 5]],
  ['nested arrays', ['life', [0], [1], [2]]],
  ['an array as a life', [['life'], 0, 1, 2]],
  ['a date as a life', [new Date(0), 0, 1, 2]],
  ['a number as a life', [1, 0, 1, 2]],
  ['a pause of texts', [1, 'a', 'b']],
  ['a pause that does not end', [Number.POSITIVE_INFINITY, 1, Number.POSITIVE_INFINITY]],
  ['a pause of a year', [Date.now() + 3e10, 1, 3e10]],
  ['a lease of a year', ['life', 0, 1, -1, Date.now() + 3e10, 3e10, 0]],
  ['a range that ends before it starts', ['life', 5, 2, 9]],
  ['an empty range', ['life', 5, 5, 9]],
  ['a negative start', ['life', -3, 2, 9]],
  ['a fractional start', ['life', 0.5, 2, 9]],
  ['a fractional end', ['life', 0, 1.5, 9]],
  ['a huge range', ['life', 0, HUGE - 1, 9]],
  ['a huge start', ['life', HUGE, HUGE + 2, 9]],
  ['an infinite range', ['life', 0, Number.POSITIVE_INFINITY, 9]],
  ['a fractional size', ['life', 0, 1, 0.5]],
  ['a negative size', ['life', 0, 1, -2]],
  ['a huge size', ['life', 0, 1, HUGE]],
];

describe('what another script wrote into the database', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each(ODD)('is skipped, removed and reported: %s as a key', async (name, key) => {
    const place = `odd ${name}`;
    await leave(place);
    const before = await keysIn(place);
    await write(place, [key]);
    expect(await visit(place)).toEqual({
      ...{ texts: ['1', '2'], bytes: 3, pause: undefined, failures: [] },
      damages: [{ place, bytes: 0 }],
    });
    expect(await keysIn(place)).toEqual(before);
    expect(await visit(place)).toMatchObject({ texts: ['1', '2'], damages: [] });
  });

  it('is reported once for all that one list shows', async () => {
    await leave('odd together');
    await write(
      'odd together',
      ODD.map(([, key]) => key),
    );
    expect(await visit('odd together')).toMatchObject({
      texts: ['1', '2'],
      damages: [{ place: 'odd together' }],
    });
  });

  it('never confuses the count of what waits, whatever its keys are', async () => {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 700 }));
    const { key } = fc.letrec<{ key: IDBValidKey }>((tie) => ({
      key: fc.oneof(
        { depthSize: 'small' },
        number,
        fc.string(),
        fc.date({ noInvalidDate: true }),
        fc.array(tie('key'), { maxLength: 7 }),
        fc.tuple(fc.string(), number, number, number),
        fc.tuple(fc.string(), number, number, fc.constant(-1), number, number, number),
      ),
    }));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 5 }), async (keys) => {
        run += 1;
        const place = `odd ${run}`;
        await leave(place);
        await write(place, keys);
        const { texts, bytes, failures } = await visit(place);
        expect(texts.slice(-2)).toEqual(['1', '2']);
        expect(failures).toEqual([]);
        expect(bytes).toBeLessThan(2 ** 40);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a text', 'odd'],
    ['nothing', undefined],
    ['an object of another shape', { from: 0, bytes: 'text', ends: [3] }],
    ['more events than the key says', { from: 0, bytes: new Uint8Array(5), ends: Uint32Array.of(1, 3, 5) }],
    ['events of another place', { from: 4, bytes: new Uint8Array(3), ends: Uint32Array.of(3) }],
    ['an end behind the last byte', { from: 0, bytes: new Uint8Array(3), ends: Uint32Array.of(9) }],
  ])('is dropped as damaged, removed and reported under the key of a record: %s', async (name, value) => {
    const place = `odd value ${name}`;
    await leave(place);
    const before = await keysIn(place);
    await write(place, [['life', 0, 1, 3]], value);
    expect(await visit(place)).toMatchObject({ texts: ['1', '2'], damages: [{ place, bytes: 3 }] });
    expect(await keysIn(place)).toEqual(before);
  });

  it('is removed from localStorage too, and what pages spilled there is found', async () => {
    const place = 'odd spill';
    const life = `${place} ["life",0,1,3]`;
    const storage: Record<string, unknown> = {
      [`${place} odd`]: 'text',
      [`${place} {}`]: 'text',
      [`${place} ["life",5,2,3]`]: 'text',
      [life]: ['3', '1', 'abc'].join('\n'),
      removeItem: (name: string) => Reflect.deleteProperty(storage, name),
    };
    vi.stubGlobal('localStorage', storage);
    expect(await visit(place)).toMatchObject({ texts: ['abc'], failures: [] });
    expect(Object.keys(storage)).toEqual(['removeItem']);
  });
});
