import { describe, expect, it } from 'vitest';
import { listCatalogue } from '../../src/search/catalogue.ts';
import { readPayloadConditions } from '../../src/search/payload-query.ts';
import { received, setUp } from './typed-searches.ts';

const catalogueOf = ({ database, events }: ReturnType<typeof setUp>, now = () => performance.now()) =>
  listCatalogue(database, events.totals, now, async () => {});

describe('the catalogue', () => {
  it('counts each name, and the keys of its payloads with their types', async () => {
    const place = setUp();
    const payloads = [
      { sku: 'A', total: 1, address: { city: 'Graz', zip: 8010 } },
      { sku: 'B', total: '2', gone: null, list: [1], 'odd key': true },
      undefined,
    ];
    place.events.add(
      place.events.stage(
        payloads.map((payload) => received({ event: 'purchase', ...(payload && { payload }) })),
      ),
      1,
      Date.UTC(2026, 0, 1),
    );
    place.events.add(
      place.events.stage([received({ event: 'sign_up', payload: { plan: 'x' } })]),
      1,
      Date.UTC(2026, 0, 2),
    );
    place.events.add(
      place.events.stage([received({ event: 'purchase', payload: {} })]),
      1,
      Date.UTC(2026, 0, 3),
    );
    expect(await catalogueOf(place)).toEqual({
      counted: 5,
      isExact: true,
      entries: [
        {
          ...{ name: 'purchase', count: 4, read: 4 },
          ...{ firstAt: '2026-01-01T00:00:00.000Z', lastAt: '2026-01-03T00:00:00.000Z' },
          keys: expect.arrayContaining([
            { path: 'sku', count: 2, types: { string: 2 } },
            { path: 'total', count: 2, types: { number: 1, string: 1 } },
            { path: 'address', count: 1, types: { object: 1 } },
            { path: 'address.zip', count: 1, types: { number: 1 } },
            { path: 'gone', count: 1, types: { null: 1 } },
            { path: 'list', count: 1, types: { array: 1 } },
            { path: '"odd key"', count: 1, types: { boolean: 1 } },
          ]),
        },
        expect.objectContaining({
          name: 'sign_up',
          count: 1,
          keys: [expect.objectContaining({ path: 'plan' })],
        }),
      ],
    });
  });

  it.each(['say "hi"', '\\', '\\"', '"."', 'a, b', "it's", 'two\nlines', '', '\ud800', '名 前'])(
    'names a key as a search finds it: %j',
    async (key) => {
      const place = setUp();
      place.events.add(
        place.events.stage([received({ payload: { [key]: { [key]: 1 } } }), received({ payload: {} })]),
        1,
      );
      const [entry] = (await catalogueOf(place)).entries;
      for (const { path } of entry?.keys ?? [])
        expect(await place.ids({ payload: readPayloadConditions(`payload.${path}`) })).toEqual([1]);
      expect(entry?.keys).toHaveLength(2);
    },
  );

  it('ends after half a second, and says how far it came', async () => {
    const place = setUp();
    for (let batch = 0; batch < 10; batch += 1)
      place.events.add(
        place.events.stage(Array.from({ length: 500 }, () => received({ event: `name ${batch}` }))),
        1,
      );
    let time = 0;
    const { counted, isExact, entries } = await catalogueOf(place, () => {
      time += 200;
      return time;
    });
    expect(isExact).toBe(false);
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(5_000);
    expect(entries[0]?.name).toBe('name 9');
  });

  it('of no events, and of payloads with very many keys and levels, ends', async () => {
    const place = setUp();
    expect(await catalogueOf(place)).toEqual({ entries: [], counted: 0, isExact: true });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key ${index}`, index]));
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    place.events.add(
      place.events.stage([
        received({ event: 'many', payload: many }),
        received({ event: 'deep' }, `{"event":"deep","payload":${deep}}`),
      ]),
      1,
    );
    const { entries } = await catalogueOf(place);
    expect(entries.map(({ name, keys }) => [name, keys.length]).sort()).toEqual([
      ['deep', 4],
      ['many', 200],
    ]);
  });
});
