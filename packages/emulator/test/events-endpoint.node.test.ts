import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { batchOf, COMPRESSION, expectTooLarge, sendAs } from './gzipped.ts';
import { ask, event, send, sendEvents } from './service.ts';

describe('event ingestion', async () => {
  const emulator = await startEmulator({ primaryKey: 'email' });
  afterAll(() => emulator.close());

  it('takes a batch of one event with only the required fields', async () => {
    const answer = await sendEvents(emulator, event({ event: 'minimal' }));
    expect(answer).toMatchObject({ status: 200, body: { accepted: 1, repeated: 0 } });
    expect(await emulator.events({ name: 'minimal' })).toEqual([
      {
        event: event({ event: 'minimal' }),
        uuid: undefined,
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        deliveries: 1,
        attributed: false,
      },
    ]);
  });

  it('takes several shapes, sources, names and repeated values in one batch, in any order of properties', async () => {
    const correlationValue = 'shapes@example.com';
    const batch = [
      event({ correlationValue, event: 'agree_to_marketing', source: 'mobile', payload: { agreed: true } }),
      event({ correlationValue, event: 'item_to_cart', timestamp: '2026-11-21T10:15:30.000Z' }),
      { payload: { total: 42.5, items: [{ sku: 'A-1' }, null] }, ...event({ correlationValue }) },
      event({ correlationValue, payload: {} }),
    ];
    expect(await sendEvents(emulator, ...batch)).toMatchObject({ status: 200, body: { accepted: 4 } });
    const stored = await emulator.events({ correlationValue });
    expect(stored.map((each) => each.event)).toEqual(batch);
  });

  it('keeps fields that the interface does not name', async () => {
    await send(emulator, { batch: [{ ...event({ event: 'extended' }), extra: [1] }], more: 2 });
    const [stored] = await emulator.events({ name: 'extended' });
    expect(stored?.event).toEqual({ ...event({ event: 'extended' }), extra: [1] });
  });

  it('takes a thousand events at once, and keeps their order', async () => {
    const batch = Array.from({ length: 1000 }, (_, index) => event({ event: 'many', payload: { index } }));
    await sendEvents(emulator, ...batch);
    const stored = await emulator.events({ name: 'many' });
    expect(stored.map((each) => each.event.payload?.index)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    );
  });

  it('stores a uuid once and counts its repeats, in one batch and over several, whatever its case', async () => {
    const uuid = randomUUID();
    const first = event({ event: 'repeated', uuid, payload: { from: 'first' } });
    const later = event({ event: 'repeated', uuid: uuid.toUpperCase(), payload: { from: 'later' } });
    expect(await sendEvents(emulator, first, later)).toMatchObject({ body: { accepted: 2, repeated: 1 } });
    expect(await sendEvents(emulator, later)).toMatchObject({ body: { accepted: 1, repeated: 1 } });
    expect(await emulator.events({ uuid: uuid.toUpperCase() })).toMatchObject([
      { event: first, uuid, deliveries: 3 },
    ]);
    expect(await emulator.countEvents({ name: 'repeated' })).toEqual({ unique: 1, received: 3 });
  });

  it('stores every event without a uuid as one of its own', async () => {
    const same = event({ event: 'without uuid' });
    await sendEvents(emulator, same, same);
    await sendEvents(emulator, same);
    expect(await emulator.countEvents({ name: 'without uuid' })).toEqual({ unique: 3, received: 3 });
  });

  it('stores nothing of a batch in which one event is wrong', async () => {
    const answer = await send(emulator, { batch: [event({ event: 'torn' }), { ...event(), source: 7 }] });
    expect(answer.status).toBe(422);
    expect(await emulator.countEvents({ name: 'torn' })).toEqual({ unique: 0, received: 0 });
  });

  it('keeps a payload exactly, however odd or deep', async () => {
    const depth = 9_000;
    const odd =
      '{"__proto__":{"polluted":1},"constructor":{},"nul":"a\\u0000b","half":"\\ud800","n":1e308,"é":"🌊"}';
    const deep = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const [head, tail] = JSON.stringify(event({ event: 'odd', payload: {} })).split('{}');
    const answer = await send(emulator, `{"batch":[${head}${odd}${tail},${head}${deep}${tail}]}`);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2 } });
    const [first, second] = await emulator.events({ name: 'odd' });
    expect(JSON.stringify(first?.event.payload)).toBe(JSON.stringify(JSON.parse(odd)));
    expect(Object.keys(Object(first?.event.payload))).toContain('__proto__');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    let levels = 0;
    for (let at: unknown = second?.event.payload?.a; Array.isArray(at); at = at[0]) levels += 1;
    expect(levels).toBe(depth);
  });

  it('tells apart and finds names and values that SQLite alone could not hold', async () => {
    const values = ['a\0b', 'a\0c', '\ud800', '\udfff', 'quote " and \\', 'naïve 🌊'];
    await sendEvents(
      emulator,
      ...values.map((correlationValue) => event({ event: 'od\0d', correlationValue })),
    );
    for (const correlationValue of values) {
      expect(await emulator.events({ correlationValue })).toMatchObject([{ event: { correlationValue } }]);
    }
    const counted = await emulator.countBy('correlationValue', 10, { name: 'od\0d' });
    expect(counted.map(({ value }) => value).toSorted()).toEqual(values.toSorted());
  });

  it('takes a body in chunks, with a byte order mark, and with a charset', async () => {
    const bytes = new TextEncoder().encode(
      `\ufeff${JSON.stringify({ batch: [event({ event: 'chunked' })] })}`,
    );
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 10) controller.enqueue(bytes.subarray(at, at + 10));
        controller.close();
      },
    });
    const answer = await ask(`${emulator.baseUrl}/api/events/batch/`, {
      method: 'POST',
      headers: {
        authorization: `Api-Key ${emulator.apiKey}`,
        'content-type': 'Application/JSON; charset=utf-8',
      },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(200);
    expect(await emulator.countEvents({ name: 'chunked' })).toEqual({ unique: 1, received: 1 });
  });
});

describe('event ingestion with compression', async () => {
  const emulator = await startEmulator({
    primaryKey: 'email',
    behaviour: COMPRESSION,
  });
  afterAll(() => emulator.close());

  it('takes gzipped events as those that are not', async () => {
    const packed = new Uint8Array(gzipSync(batchOf('gzipped')));
    expect(await sendAs(emulator, 'GZIP', packed)).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await sendAs(emulator, 'identity', batchOf('plain'))).toMatchObject({ status: 200 });
    expect(await emulator.countEvents()).toEqual({ unique: 2, received: 2 });
  });

  it('refuses what is not gzip, or is cut short', async () => {
    const packed = new Uint8Array(gzipSync(batchOf('cut short')));
    for (const body of [batchOf('not gzip'), packed.subarray(0, -4), new Uint8Array(0)]) {
      expect(await sendAs(emulator, 'gzip', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'malformed_gzip' } },
      });
    }
  });

  it('refuses a small body that would become larger than it takes', () => expectTooLarge(emulator, 200_000));

  it('refuses encodings other than gzip', async () => {
    expect(await sendAs(emulator, 'br', batchOf('brotli'))).toMatchObject({
      status: 415,
      body: { error: { message: 'The body must be sent gzipped or without Content-Encoding, got "br".' } },
    });
  });
});
