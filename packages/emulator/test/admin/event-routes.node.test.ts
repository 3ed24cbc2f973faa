import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TrackerRow } from '../../src/admin/contract.ts';
import { startEmulator } from '../../src/index.ts';
import { ask, event, sendEvents } from '../service.ts';

const UUID = '01234567-89ab-4cde-8f01-23456789abcd';

describe.each(['in memory', 'in a directory'])('the event tracker %s', async (where) => {
  const data = where === 'in memory' ? undefined : mkdtempSync(join(tmpdir(), 'sluice-emulator-'));
  const customers = [{ email: 'ada@example.com' }];
  const emulator = await startEmulator({ data, primaryKey: 'email', customers });
  afterAll(async () => {
    await emulator.close();
    if (data !== undefined) rmSync(data, { recursive: true });
  });
  const admin = (path: string) => ask(`${emulator.apiUrl}/emulator/${path}`);
  const unindexed = async () => Object((await admin('status')).body).unindexed;
  const rows = async (search: string): Promise<TrackerRow[]> =>
    Object((await admin(`events?${search}`)).body).rows;
  const ids = async (search: string): Promise<number[]> => (await rows(search)).map(({ id }) => id);

  await sendEvents(
    emulator,
    event({ uuid: UUID, payload: { title: 'Größe XL', sku: 'A-12345', deep: { er: ['seven'] } } }),
    event({ event: 'item_to_cart', correlationValue: 'bob@example.com', source: 'mobile' }),
    event({
      correlationValue: 'bob@example.com',
      payload: { title: 'line\nbreak', note: '"quoted" and \\' },
    }),
    event({ event: '=1+1', correlationValue: '@ada', payload: { text: 'caf\u00e9' } }),
  );
  await sendEvents(emulator, event({ uuid: UUID.toUpperCase() }));

  it('lists the newest first, page after page', async () => {
    expect(await ids('')).toEqual([4, 3, 2, 1]);
    const { body } = await admin('events?limit=2');
    expect(body).toMatchObject({ rows: [{ id: 4 }, { id: 3 }], next: 3 });
    expect((await admin('events?limit=2&before=3')).body).toMatchObject({
      rows: [{ id: 2 }, { id: 1, name: 'purchase', uuid: UUID, deliveries: 2, attributed: true }],
      next: null,
    });
    expect(Object(body).rows[1].preview).toBe('{"title":"line\\nbreak","note":"\\"quoted\\" and \\\\"}');
  });

  it.each([
    ['name=purchase', [3, 1]],
    ['name=purchas', []],
    ['correlationValue=bob%40example.com', [3, 2]],
    ['source=mobile', [2]],
    ['name=purchase&correlationValue=bob%40example.com', [3]],
    ['attributed=true', [1]],
    ['attributed=false&name=purchase', [3]],
    ['text=bob', [3, 2]],
    ['text=grosse', []],
    ['text=große', [1]],
    ['text=größe', [1]],
    ['text=GROSSE%20xl', []],
    ['text=GRÖßE%20xl', [1]],
    ['text=cafe', [4]],
    ['text=A-123', [1]],
    ['text=A-123%20xl', []],
    ['text=12345', [1]],
    ['text=seven%20xl', [1]],
    ['text=purch%20bob', []],
    ['text=purchase%20bo', [3]],
    ['text=b', [3, 2]],
    ['text=title%20b', [3]],
    ['text=break', [3]],
    ['text=nbreak', []],
    ['text=quoted', [3]],
    ['text=deep%20er', [1]],
    ['text=correlationKey', []],
    ['text=nothing', []],
    ['text=%20', [4, 3, 2, 1]],
    ['text=%22)%20OR%20*%20NEAR(', []],
    ['payload=payload.sku', [1]],
    ['payload=payload.sku%20%3D%20"A-12345"', [1]],
    ['payload=payload.sku%20!%3D%20A-12345', []],
    ['payload=payload.deep.er[0]%20%3D%20seven', [1]],
    ['payload=payload.title%20>%20"l"', [3]],
    ['payload=payload.note%20and%20payload.title', [3]],
    ['payload=payload.title&name=purchase&text=gr', [1]],
    ['payload=payload.deep&attributed=true', [1]],
    ['payload=payload.missing%20!%3D%201', []],
    ['to=2020-01-01T00:00:00.000Z', []],
    ['from=2020-01-01T00:00:00.000Z&name=item_to_cart', [2]],
    ['from=2100-01-01', []],
    ['from=2100-01-01&to=2020-01-01', []],
  ])('finds by %s, as soon as events are there and when they are indexed', async (search, expected) => {
    for (const isIndexed of [false, true]) {
      if (isIndexed) await expect.poll(unindexed).toBe(0);
      // A search has a time limit. On a busy machine it may end before it has found everything.
      await expect.poll(() => ids(search)).toEqual(expected);
      const count = async () => (await admin(`events/count?${search}`)).body;
      await expect.poll(count).toEqual({ count: expected.length, isExact: true });
    }
  });

  it('lists values of payloads', async () => {
    const [last, , , first] = await rows('keys=payload.deep.er[0],payload.deep%20,%20payload.text');
    expect(last?.values).toEqual([null, null, '"café"']);
    expect(first?.values).toEqual(['"seven"', '{"er":["seven"]}', null]);
  });

  it('opens an event', async () => {
    expect((await admin('events/1')).body).toMatchObject({
      id: 1,
      text: expect.stringContaining('"sku":"A-12345"'),
      customer: { email: 'ada@example.com', primary_key: 'ada@example.com' },
    });
    expect(await admin('events/5')).toMatchObject({ status: 404, body: { error: { code: 'unknown_id' } } });
  });

  it('lists values in use, the most frequent first', async () => {
    expect((await admin('events/values?field=name')).body).toMatchObject({
      values: [{ value: 'purchase', count: 2 }, {}, {}],
    });
    expect((await admin('events/values?field=correlationValue&start=B')).body).toEqual({
      values: [{ value: 'bob@example.com', count: 2 }],
    });
  });

  it('exports what matches, as lines of JSON that can be sent again', async () => {
    const response = await fetch(`${emulator.apiUrl}/emulator/events/export?text=bob`);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="events-[\dT-]+\.ndjson"$/,
    );
    const events = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([{ event: 'purchase' }, { event: 'item_to_cart', source: 'mobile' }]);
  });

  it.each([
    ['events?from=yesterday', 'from'],
    ['events?attributed=maybe', 'attributed'],
    ['events?limit=1001', 'limit'],
    [`events?text=${'a '.repeat(21)}`, 'text'],
    ['events?payload=total%20>%20100', 'payload'],
    ['events?payload=payload."a%00b"', 'payload'], // SQLite ends a path at U+0000
    ['events?keys=payload."a%00b"', 'keys'],
    ['events?keys=total', 'keys'],
    ['events?keys=payload.a%20payload.b', 'keys'],
    ['events/count?to=2020-13-01', 'to'],
    ['events/values?field=uuid', 'field'],
    ['events/first', 'id'],
  ])('refuses %s', async (path, field) => {
    expect(await admin(path)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field, message: expect.not.stringContaining('NaN') } },
    });
  });
});
