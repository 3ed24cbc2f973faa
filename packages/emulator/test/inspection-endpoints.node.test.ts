import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { ask, event, inspect, post, readCustomer, sendEvents, tellAdmin } from './service.ts';

const UUID = '01234567-89ab-4cde-8f01-23456789abcd';

describe('the inspection routes', async () => {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'ada@example.com' }] });
  afterAll(() => emulator.close());
  const first = event({ uuid: UUID, payload: { deep: { er: [1] } } });
  const second = event({ event: 'item_to_cart', correlationValue: 'bob@example.com' });
  await sendEvents(emulator, first, second);
  await sendEvents(emulator, first);

  it('give the stored events as the programmatic interface does', async () => {
    const { status, headers, body } = await inspect(emulator, '/emulator/events');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual(JSON.parse(JSON.stringify({ events: await emulator.events() })));
    expect(body).toMatchObject({
      events: [
        { event: first, uuid: UUID, deliveries: 2, attributed: true },
        { event: second, deliveries: 1, attributed: false },
      ],
    });
  });

  it.each([
    ['name=item_to_cart', [second]],
    ['correlationValue=ada%40example.com', [first]],
    [`uuid=${UUID}`, [first]],
    ['source=mobile', []],
    ['attributed=false', [second]],
    ['limit=1', [first]],
    ['limit=1&offset=1', [second]],
  ])('filter events by %s', async (search, events) => {
    const { body } = await inspect(emulator, `/emulator/events?${search}`);
    expect(body).toMatchObject({ events: events.map((each) => ({ event: each })) });
    expect(Object(body).events).toHaveLength(events.length);
  });

  it('count events', async () => {
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
    ['/emulator/events?limit=many', 'limit'],
    ['/emulator/events?limit=10001', 'limit'],
    ['/emulator/events?offset=-1', 'offset'],
    ['/emulator/events?attributed=maybe', 'attributed'],
    ['/emulator/events?event=purchase', 'event'],
    ['/emulator/counts?offset=1', 'offset'],
    ['/emulator/counts?__proto__=1', '__proto__'],
  ])('refuse %s', async (path, field) => {
    expect(await inspect(emulator, path)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field } },
    });
  });

  it('need an API key and the right method', async () => {
    expect(await ask(`${emulator.apiUrl}/emulator/events`)).toMatchObject({ status: 401 });
    const wrong = await post(`${emulator.apiUrl}/emulator/events`, emulator.apiKey, '{}');
    expect(wrong).toMatchObject({
      status: 405,
      body: { error: { message: '/emulator/events takes GET, got POST.' } },
    });
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('set up an emulator that runs elsewhere', async () => {
    await using fresh = await startEmulator();
    const customers = [{ email: 'ada@example.com', first_name: 'Ada' }];
    expect(await tellAdmin(fresh, 'POST', '/customers', customers)).toMatchObject({ status: 422 });
    expect(await tellAdmin(fresh, 'PUT', '/primary-key', { primaryKey: 'email' })).toMatchObject({
      status: 200,
      body: { primaryKey: 'email' },
    });
    expect(await tellAdmin(fresh, 'POST', '/customers', customers)).toMatchObject({
      status: 200,
      body: { customers: 1 },
    });
    expect((await readCustomer(fresh, 'ada@example.com')).body).toMatchObject({ first_name: 'Ada' });
    expect((await sendEvents(fresh, event())).status).toBe(200);
  });

  it.each([
    ['PUT', '/primary-key', { primaryKey: '' }, 'primaryKey'],
    ['PUT', '/primary-key', { primary_key: 'email' }, 'primaryKey'],
    ['PUT', '/primary-key', null, 'body'],
    ['POST', '/customers', 'x', 'body'],
    ['POST', '/customers', [{ email: 'x' }, { name: 'y' }], 'customers[1].email'],
  ])('refuse to set up with %s %s %j', async (method, path, body, field) => {
    expect(await tellAdmin(emulator, method, path, body)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field } },
    });
    expect(emulator.primaryKey).toBe('email');
  });
});
