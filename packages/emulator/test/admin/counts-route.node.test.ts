import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { ask, event, inspect, post, sendEvents } from '../service.ts';

const UUID = '01234567-89ab-4cde-8f01-23456789abcd';

describe('an API key', async () => {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'ada@example.com' }] });
  afterAll(() => emulator.close());
  const first = event({ uuid: UUID, payload: { deep: { er: [1] } } });
  const second = event({ event: 'item_to_cart', correlationValue: 'bob@example.com' });
  await sendEvents(emulator, first, second);
  await sendEvents(emulator, first);

  it('reads whole events, with what the programmatic interface says of them', async () => {
    const url = `${emulator.apiUrl}/emulator/events/export?details=true`;
    const answer = await fetch(url, { headers: { authorization: `Api-Key ${emulator.apiKey}` } });
    const lines = (await answer.text()).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line)).toReversed();
    expect(events).toEqual(JSON.parse(JSON.stringify(await emulator.events())));
    expect(events).toMatchObject([
      { event: first, uuid: UUID, deliveries: 2, attributed: true },
      { event: second, deliveries: 1, attributed: false },
    ]);
  });

  it('counts events', async () => {
    expect((await inspect(emulator, '/emulator/counts')).body).toEqual({
      unique: 2,
      received: 3,
      byEvent: [
        { value: 'item_to_cart', count: 1 },
        { value: 'purchase', count: 1 },
      ],
      byCorrelationValue: [
        { value: 'ada@example.com', count: 1 },
        { value: 'bob@example.com', count: 1 },
      ],
    });
    expect((await inspect(emulator, '/emulator/counts?limit=1&name=purchase')).body).toEqual({
      unique: 1,
      received: 2,
      byEvent: [{ value: 'purchase', count: 1 }],
      byCorrelationValue: [{ value: 'ada@example.com', count: 1 }],
    });
  });

  it.each([
    ['name=item_to_cart', [2]],
    ['correlationValue=ada%40example.com', [1]],
    [`uuid=${UUID.toUpperCase()}`, [1]],
    ['uuid=x', []],
    ['source=mobile', []],
    ['attributed=false', [2]],
    ['payload=payload.deep', [1]],
    ['from=2020-01-01&name=purchase', [1]],
    ['to=2020-01-01', []],
  ])('lists and counts events by one filter: %s', async (filter, ids) => {
    const { body } = await inspect(emulator, `/emulator/events?${filter}`);
    expect(Object(body).rows).toMatchObject(ids.map((id) => ({ id })));
    expect(Object(body).rows).toHaveLength(ids.length);
    const unique = ids.length;
    expect((await inspect(emulator, `/emulator/counts?${filter}`)).body).toMatchObject({ unique });
    const { body: counted } = await inspect(emulator, `/emulator/events/count?${filter}`);
    expect(counted).toEqual({ count: unique, isExact: true });
  });

  it.each([
    ['/emulator/events?limit=many', 'limit'],
    ['/emulator/events?limit=1001', 'limit'],
    ['/emulator/events?offset=1', 'offset'],
    ['/emulator/events?attributed=maybe', 'attributed'],
    ['/emulator/events?event=purchase', 'event'],
    ['/emulator/counts?limit=0', 'limit'],
    ['/emulator/counts?before=1', 'before'],
    ['/emulator/counts?text=words', 'text'],
    ['/emulator/counts?__proto__=1', '__proto__'],
    ['/emulator/counts?toString=1', 'toString'],
  ])('is refused %s', async (path, field) => {
    expect(await inspect(emulator, path)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field } },
    });
  });

  it('needs the right method', async () => {
    const wrong = await post(`${emulator.apiUrl}/emulator/events`, emulator.apiKey, '{}');
    expect(wrong).toMatchObject({
      status: 405,
      body: { error: { message: '/emulator/events takes GET, got POST.' } },
    });
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('is none if it was never made: also on this machine, which needs none', async () => {
    const url = `${emulator.apiUrl}/emulator/counts`;
    expect(await ask(url)).toMatchObject({ status: 200 });
    for (const [authorization, status] of [
      ['Api-Key unknown', 403],
      ['Api-Key', 401],
      ['x', 401],
    ] as const) {
      expect(await ask(url, { headers: { authorization } })).toMatchObject({ status });
    }
  });
});
