// What clients see of faults, over real connections.
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EVENTS_PATH, type Event, requestHeaders } from '@sluice/protocol';
import { describe, expect, it, vi } from 'vitest';
import { type BehaviourSettings, type Emulator, type Fault, startEmulator } from '../../src/index.ts';
import { admin, ask, event, post, readCustomer, sendEvents } from '../service.ts';

const ADA = { email: 'ada@example.com' };

function start(...faults: Fault[]): Promise<Emulator> {
  return startEmulator({ primaryKey: 'email', customers: [ADA], faults });
}

/** How a request failed that got no answer. */
async function failureOf(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => 'it was answered',
    (reason: unknown) => reason,
  );
  const { cause } = Object(error);
  return String(Object(cause).code ?? error);
}

/** Sends a batch at once, and closes the connection without waiting for the answer. */
function sendAndHangUp({ baseUrl, apiKey }: Emulator, ...batch: Event[]): void {
  const body = JSON.stringify({ batch });
  const headers = { ...requestHeaders(apiKey), host: 'x', 'content-length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').on('error', () => {});
  socket.end(`POST ${EVENTS_PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

describe('a client is', () => {
  it('answered with a status, a body and Retry-After of choice, and nothing is stored', async () => {
    await using emulator = await start({ kind: 'status', status: 503, retryAfter: 7, times: 2 });
    const refused = await sendEvents(emulator, event());
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: 'injected_fault', message: 'A fault is switched on that answers 503.' } },
    });
    expect(refused.headers.get('retry-after')).toBe('7');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect((await readCustomer(emulator, ADA.email)).status).toBe(503);
    expect((await sendEvents(emulator, event())).status).toBe(200);
    using fault = emulator.fail({
      kind: 'status',
      status: 200,
      body: '"nobody stored this"',
      endpoint: 'events',
    });
    expect(await sendEvents(emulator, event())).toMatchObject({ status: 200, body: 'nobody stored this' });
    expect(fault.hits).toBe(1);
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    expect(await emulator.requests({ outcome: 'fault' })).toMatchObject([
      { status: 200, fault: 'answers 200', error: null },
      { status: 503, fault: 'answers 503 with Retry-After 7' },
      { status: 503, fault: 'answers 503 with Retry-After 7', error: { code: 'injected_fault' } },
    ]);
  });

  it('kept waiting, and then served', async () => {
    await using emulator = await start({ kind: 'latency', ms: 30, jitterMs: 20 });
    expect((await sendEvents(emulator, event())).status).toBe(200);
    const [row] = await emulator.requests();
    expect(row).toMatchObject({ fault: 'waits 30 ms to 50 ms', events: 1 });
    expect(row?.durationMs).toBeGreaterThan(25);
  });

  it.each<Fault[][]>([[[]], [[{ kind: 'hang' }]]])(
    'let go if it gives up while it waits, and its request is kept: %j',
    async (others) => {
      const debug = vi.fn();
      const logger = { debug, info() {}, warn() {}, error() {} };
      await using emulator = await startEmulator({ primaryKey: 'email', logger });
      const latency = emulator.fail({ kind: 'latency', ms: 300 });
      for (const other of others) emulator.fail(other);
      const headers = requestHeaders(emulator.apiKey);
      const client = request(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers });
      client.on('error', () => {}).write('{"batch":[');
      await expect.poll(() => latency.hits).toBe(1);
      client.destroy();
      await expect.poll(() => debug.mock.calls).toMatchObject([[{ path: EVENTS_PATH }, 'request']]);
      expect(await emulator.requests()).toMatchObject([{ status: null }]);
    },
  );

  it('served although it gives up while it waits, once its whole body has come', async () => {
    await using emulator = await start({ kind: 'latency', ms: 1_000 });
    sendAndHangUp(emulator, event());
    await expect
      .poll(() => emulator.requests())
      .toMatchObject([{ status: null, events: 1, firstEvent: 1, error: null }]);
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    expect(await admin(emulator, '/requests/1/again', { method: 'POST' })).toMatchObject({
      body: { status: 200 },
    });
  });

  it('let go if it gives up before a fault answers, and its request cannot be sent again without its body', async () => {
    await using emulator = await start({ kind: 'latency', ms: 1_000 }, { kind: 'status', status: 503 });
    sendAndHangUp(emulator, event());
    await expect.poll(() => emulator.requests()).toMatchObject([{ status: null }]);
    expect(await admin(emulator, '/requests/1')).toMatchObject({
      body: { content: { body: '' }, isRepeatable: false },
    });
  });

  it('left without an answer, until it gives up', async () => {
    await using emulator = await start({ kind: 'hang' });
    const client = new AbortController();
    const headers = requestHeaders(emulator.apiKey);
    const body = JSON.stringify({ batch: [event()] });
    const { signal } = client;
    const hanging = fetch(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers, body, signal });
    const shown = [{ status: null, fault: 'never answers' }];
    await expect.poll(() => emulator.requests()).toMatchObject(shown);
    client.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
    expect(await emulator.requests()).toMatchObject(shown);
    expect(await emulator.countEvents()).toEqual({ unique: 0, received: 0 });
  });

  it('cut off before its body is read', async () => {
    await using emulator = await start({ kind: 'reset', times: 1 });
    expect(await failureOf(sendEvents(emulator, event()))).toBe('ECONNRESET');
    expect((await sendEvents(emulator, event())).status).toBe(200);
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
  });

  it('cut off in the middle of an answer that it has the status of', async () => {
    await using emulator = await start({ kind: 'reset', at: 'middle' });
    const headers = requestHeaders(emulator.apiKey);
    const body = JSON.stringify({ batch: [event()] });
    const response = await fetch(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('27');
    expect(await failureOf(response.text())).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    expect(await emulator.requests()).toMatchObject([{ status: 200, firstEvent: 1 }]);
  });

  it('cut off in the middle of a refusal as well', async () => {
    await using emulator = await start({ kind: 'reset', at: 'middle' });
    expect(await failureOf(sendEvents(emulator, event({ source: '' })))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(await failureOf(readCustomer(emulator, 'nobody'))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    await emulator.changeBehaviour({ preset: 'quiet' });
    expect(await failureOf(post(emulator.baseUrl + EVENTS_PATH, 'x', '{}'))).toBe('ECONNRESET');
    expect(await emulator.requests({ outcome: 'refused' })).toMatchObject([
      { status: null, error: { code: 'unknown_api_key' } },
      { status: 404, error: { code: 'customer_not_found' } },
      { status: 422, error: { code: 'invalid_field' } },
    ]);
  });

  it.each<BehaviourSettings>([{ acceptedBody: 'empty' }, { acceptedStatus: 204 }])(
    'cut off before an answer that has no middle, with %j',
    async (behaviour) => {
      const faults: Fault[] = [{ kind: 'reset', at: 'middle' }];
      await using emulator = await startEmulator({ primaryKey: 'email', behaviour, faults });
      expect(await failureOf(sendEvents(emulator, event()))).toBe('ECONNRESET');
      expect(await emulator.requests()).toMatchObject([{ status: null, firstEvent: 1 }]);
      expect(await emulator.requests({ outcome: 'taken' })).toEqual([]);
    },
  );

  it('cut off after what it sent was stored, so that it cannot know', async () => {
    await using emulator = await start({ kind: 'lost-answer', times: 2 });
    expect(await failureOf(sendEvents(emulator, event()))).toBe('ECONNRESET');
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    expect(await failureOf(sendEvents(emulator, event({ source: '' })))).toBe('ECONNRESET');
    expect(await emulator.requests()).toMatchObject([
      { status: null, error: { code: 'invalid_field', field: 'batch[0].source' } },
      {
        status: null,
        events: 1,
        firstEvent: 1,
        fault: 'serves the request and loses the answer',
        error: null,
      },
    ]);
  });

  it('refused where its body is over a size', async () => {
    await using emulator = await start({ kind: 'too-large', bytes: 500 });
    const large = Array.from({ length: 10 }, () => event());
    expect(await sendEvents(emulator, ...large)).toMatchObject({
      status: 413,
      body: { error: { code: 'body_too_large', message: expect.stringContaining('larger than 500 bytes') } },
    });
    expect((await sendEvents(emulator, event())).status).toBe(200);
    expect(await emulator.requests()).toMatchObject([
      { status: 200, fault: null },
      { status: 413, fault: 'refuses bodies of more than 500 bytes' },
    ]);
  });

  it('refused for its size as often as the fault may act, however many send at once', async () => {
    await using emulator = await start(
      { kind: 'latency', ms: 50 },
      { kind: 'too-large', bytes: 100, times: 1 },
    );
    const answers = await Promise.all([1, 2, 3].map(() => sendEvents(emulator, event())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 413]);
    expect(await emulator.requests({ outcome: 'refused' })).toMatchObject([
      { fault: 'waits 50 ms; refuses bodies of more than 100 bytes' },
    ]);
  });

  it('refused for its key before its size, also after a latency: the fault is left for a client that has the key', async () => {
    await using emulator = await start(
      { kind: 'latency', ms: 1 },
      { kind: 'too-large', bytes: 100, times: 1 },
    );
    expect((await post(emulator.baseUrl + EVENTS_PATH, 'wrong', { batch: [event()] })).status).toBe(403);
    expect((await sendEvents(emulator, event())).status).toBe(413);
    expect(await emulator.requests()).toMatchObject([
      { status: 413, fault: 'waits 1 ms; refuses bodies of more than 100 bytes' },
      { status: 403, fault: 'waits 1 ms' },
    ]);
  });

  it('refused where its body is over a size once it is unpacked', async () => {
    await using emulator = await start({ kind: 'too-large', bytes: 500, times: 1 });
    await emulator.changeBehaviour({ behaviour: { compression: true } });
    const body = gzipSync(JSON.stringify({ batch: Array.from({ length: 10 }, () => event()) }));
    const headers = { ...requestHeaders(emulator.apiKey), 'content-encoding': 'gzip' };
    const again = () => ask(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers, body });
    expect([(await again()).status, (await again()).status]).toEqual([413, 200]);
  });

  it('refused for a poisonous event, or told of it where bad events are left out', async () => {
    await using emulator = await start({ kind: 'poison', pattern: '"sku":"B-2"' });
    const batch = [event({ payload: { sku: 'A-1' } }), event({ payload: { sku: 'B-2' } })];
    const message = 'batch[1] was refused by a fault: it refuses events that match /"sku":"B-2"/';
    expect(await sendEvents(emulator, ...batch)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field: 'batch[1]', message } },
    });
    expect(await emulator.countEvents()).toEqual({ unique: 0, received: 0 });
    await emulator.changeBehaviour({ behaviour: { badEvents: 'leave-out' } });
    expect(await sendEvents(emulator, ...batch)).toMatchObject({
      status: 200,
      body: { accepted: 1, rejected: [{ index: 1, message }] },
    });
  });

  it('refused a connection while the service is down, and not after it', async () => {
    await using emulator = await start();
    const { baseUrl } = emulator;
    const fault = emulator.fail({ kind: 'down', forMs: 600_000 });
    await expect.poll(() => failureOf(sendEvents(emulator, event()))).toBe('ECONNREFUSED');
    expect(await failureOf(readCustomer(emulator, ADA.email))).toBe('ECONNRESET');
    expect((await ask(`${emulator.apiUrl}/emulator/status`)).body).toMatchObject({ activeFaults: 1 });
    await fault.stop();
    expect(fault.state).toBe('over');
    expect(emulator.baseUrl).toBe(baseUrl);
    expect((await sendEvents(emulator, event())).status).toBe(200);
    {
      await using _briefly = emulator.fail({ kind: 'down', forMs: 20, endpoint: 'events' });
      await expect
        .poll(async () => (await sendEvents(emulator, event()).catch(() => undefined))?.status)
        .toBe(200);
    }
  });

  it('refused a connection as long as the service is suspended, whatever the faults do', async () => {
    await using emulator = await start({ kind: 'down', forMs: 600_000, endpoint: 'events' });
    expect(await failureOf(sendEvents(emulator, event()))).toBe('ECONNREFUSED');
    await emulator.suspend();
    await emulator.fail({ kind: 'none' }).stop();
    await ask(`${emulator.apiUrl}/`).catch(() => {});
    await emulator.resume();
    expect(await failureOf(sendEvents(emulator, event()))).toBe('ECONNREFUSED');
    expect((await readCustomer(emulator, ADA.email)).status).toBe(200);
  });
});

describe('an emulator that closes', () => {
  it('waits for no fault', async () => {
    const emulator = await start({ kind: 'hang', endpoint: 'events' }, { kind: 'latency', ms: 600_000 });
    const requests = [sendEvents(emulator, event()), readCustomer(emulator, ADA.email)].map(failureOf);
    await expect.poll(() => emulator.requests()).toHaveLength(1);
    await emulator.close();
    for (const end of await Promise.all(requests)) expect(end).not.toBe('it was answered');
  });
});

describe('the admin routes of faults', () => {
  it('list, switch on and end them', async () => {
    await using emulator = await start();
    const url = `${emulator.apiUrl}/emulator/faults`;
    const tell = (method: string, path = '', body?: unknown) =>
      ask(url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const fault = { kind: 'status', status: 500, times: 1 };
    expect(await tell('POST', '', fault)).toMatchObject({
      status: 200,
      body: {
        id: 1,
        fault,
        words: 'answers 500, at most 1 time',
        state: 'active',
        step: null,
        hits: 0,
        remaining: 1,
      },
    });
    expect((await sendEvents(emulator, event())).status).toBe(500);
    await tell('POST', '', [fault, { kind: 'hang' }]);
    expect((await ask(url)).body).toMatchObject({
      seed: 1,
      faults: [
        { id: 2, fault: { kind: 'script', steps: [fault, { kind: 'hang' }] }, step: 0 },
        { id: 1, hits: 1, remaining: 0, state: 'over' },
      ],
    });
    expect(await tell('POST', '', { kind: 'status', status: 7 })).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field: 'fault.status' } },
    });
    expect((await tell('DELETE', '/1')).status).toBe(204);
    expect(await tell('DELETE', '/1')).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown_id' } },
    });
    expect((await tell('DELETE')).status).toBe(204);
    expect((await ask(url)).body).toMatchObject({ faults: [] });
    expect((await sendEvents(emulator, event())).status).toBe(200);
  });
});

describe('a fault that is wrong', () => {
  it('is named, at the start and later', async () => {
    await expect(startEmulator({ faults: [{ kind: 'hang' }, { kind: 'boom' } as never] })).rejects.toThrow(
      'faults[1].kind must be one of status, latency',
    );
    await expect(startEmulator({ faultSeed: 0.5 })).rejects.toThrow('faultSeed must be a whole number');
    await using emulator = await start();
    expect(() => emulator.fail({ kind: 'status', status: 7 })).toThrow('fault.status must be a whole number');
  });
});
