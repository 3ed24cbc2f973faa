import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import type { RequestDetails, RequestRows } from '../src/admin/contract.ts';
import { startEmulator } from '../src/index.ts';
import { admin, ask, event, post, readCustomer, type Service, send, sendEvents } from './service.ts';

async function details(service: Service, id: number): Promise<RequestDetails> {
  return (await admin(service, `/requests/${id}`)).body as RequestDetails;
}

const body = JSON.stringify({ batch: [event()] });

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

describe('the content of a request', () => {
  it('is its body and headers, and the answer as it was sent', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await sendEvents(emulator, event({ correlationKey: 'phone' }));
    const { content } = await details(emulator, 1);
    expect(content?.body).toBe(JSON.stringify({ batch: [event({ correlationKey: 'phone' })] }));
    expect(content?.headers).toContainEqual(['content-type', 'application/json']);
    expect(JSON.parse(content?.answer?.body ?? '')).toEqual(answer.body);
    expect(content?.answer?.headers).toContainEqual(['content-type', 'application/json']);
  });

  it('is kept where the request was refused before its body was read', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const url = emulator.baseUrl + EVENTS_PATH;
    await post(url, 'canary-of-a-key', body);
    await post(`${emulator.baseUrl}/api/events/batch`, emulator.apiKey, body);
    for (const id of [1, 2]) {
      await expect.poll(async () => (await details(emulator, id)).content?.body, PATIENCE).toBe(body);
      expect(await details(emulator, id)).toMatchObject({ bytes: body.length });
    }
  });

  it('never shows a key', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { apiKey } = emulator;
    const headers = { ...requestHeaders(apiKey), 'x-api-key': apiKey, 'x-shop': `key=${apiKey}; v=1` };
    await ask(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers, body });
    const shown = JSON.stringify(await details(emulator, 1));
    expect(shown).not.toContain(apiKey);
    const mask = `••••${apiKey.slice(-4)}`;
    for (const value of [`Api-Key ${mask}`, mask, `key=${mask}; v=1`]) expect(shown).toContain(`"${value}"`);
  });

  it.each([
    ['cookie', 'session=secret-of-my-shop; theme=dark', 'session=••••shop; theme=••••'],
    ['cookie', 'a=b==;c="x y"; lonely; empty=', 'a=••••;c=••••; ••••; empty='],
    ['authorization', 'Basic secret-of-my-shop', 'Basic ••••shop'],
    ['authorization', 'secret-of-my-shop', '••••shop'],
    ['Proxy-Authorization', 'Digest user="ada", nonce="x"', 'Digest ••••="x"'],
    ['authorization', 'Api-Key two words', 'Api-Key ••••'],
    ['x-shop', 'a=b; c', 'a=b; c'],
  ])('masks all secrets of a header: %s: %s', async (name, value, shown) => {
    await using emulator = await startEmulator();
    const socket = connect(Number(new URL(emulator.baseUrl).port), '127.0.0.1');
    socket.end(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${name}: ${value}\r\n\r\n`);
    await text(socket);
    expect((await details(emulator, 1)).content?.headers).toContainEqual([name, shown]);
  });

  it('is cut at 64 KiB, and then cannot be sent again', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ payload: { text: 'x'.repeat(70_000) } }));
    const { content, isRepeatable } = await details(emulator, 1);
    expect(content).toMatchObject({ isCut: true });
    expect(content?.body).toHaveLength(64 * 1024);
    expect(isRepeatable).toBe(false);
    expect(await admin(emulator, '/requests/1/again', { method: 'POST' })).toMatchObject({ status: 422 });
  });

  it('takes the memory of its first 64 KiB, also of its answer', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await emulator.addCustomers([{ email: 'ada@example.com', note: 'x'.repeat(1_000_000) }]);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let read = 0; read < 100; read += 1) await readCustomer(emulator, 'ada@example.com');
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000);
    const { content } = await details(emulator, 1);
    expect(content?.answer).toMatchObject({ isCut: true });
    expect(content?.answer?.body).toHaveLength(64 * 1024);
  });

  it('takes no memory for the rest of its body', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { arrayBuffers: before } = process.memoryUsage();
    const large = JSON.stringify({ batch: [], filler: 'x'.repeat(1_000_000) });
    for (let sent = 0; sent < 100; sent += 1)
      expect(await send(emulator, large)).toMatchObject({ status: 422 });
    const held = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    };
    await expect.poll(held, PATIENCE).toBeLessThan(40_000_000);
  });

  it('is unpacked if it is gzipped', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', behaviour: { compression: true } });
    await ask(emulator.baseUrl + EVENTS_PATH, {
      method: 'POST',
      headers: { ...requestHeaders(emulator.apiKey), 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    expect((await details(emulator, 1)).content?.body).toBe(body);
    expect(await admin(emulator, '/requests/1/again', { method: 'POST' })).toMatchObject({
      body: { status: 200 },
    });
  });

  it.each([
    ['larger than what is kept', randomBytes(100_000).toString('hex')],
    ['much larger once it is unpacked', 'x'.repeat(3_000_000)],
  ])('is the beginning of a gzipped body that is %s', async (_, filler) => {
    await using emulator = await startEmulator({ primaryKey: 'email', behaviour: { compression: true } });
    const batch = JSON.stringify({ batch: [event({ payload: { filler } })] });
    await ask(emulator.baseUrl + EVENTS_PATH, {
      method: 'POST',
      headers: { ...requestHeaders(emulator.apiKey), 'content-encoding': 'GZIP' },
      body: gzipSync(batch),
    });
    const { content } = await details(emulator, 1);
    expect(content).toMatchObject({ body: batch.slice(0, 64 * 1024), isCut: true });
  });

  it('is kept of the last 200 refused requests, however many others come', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await send(emulator, '{');
    for (let sent = 0; sent < 201; sent += 1) await sendEvents(emulator, event());
    expect((await details(emulator, 1)).content?.body).toBe('{');
    expect((await details(emulator, 2)).content).toBeNull();
    expect((await details(emulator, 3)).content).not.toBeNull();
  });
});

describe('the size of a request', () => {
  it('is that of its Content-Length, even if its body was not read', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', behaviour: { maxBodyBytes: 1_000 } });
    await send(emulator, `"${'x'.repeat(50_000)}"`);
    expect(await emulator.requests()).toMatchObject([{ status: 413, bytes: 50_002 }]);
  });

  it('is not known if it was not announced and not read', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { hostname, port } = new URL(emulator.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await expect.poll(() => emulator.requests(), PATIENCE).toMatchObject([{ status: 401, bytes: null }]);
    socket.destroy();
  });
});

describe('requests', () => {
  it('are found by status, key, path, user agent and reason', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const shop = await emulator.createApiKey('shop');
    await sendEvents(emulator, event());
    await post(emulator.baseUrl + EVENTS_PATH, shop, '{');
    await ask(`${emulator.baseUrl}/100%_sure`, { headers: { 'user-agent': 'curl/8.5' } });
    const found = async (search: string) => {
      const { body } = await admin(emulator, `/requests?${new URLSearchParams({ search })}`);
      return (body as RequestRows).rows.map(({ id }) => id);
    };
    expect(await found('404')).toEqual([3]);
    expect(await found('shop')).toEqual([2]);
    expect(await found('100%_')).toEqual([3]);
    expect(await found('curl')).toEqual([3]);
    expect(await found('malformed_json')).toEqual([2]);
    expect(await found('batch default')).toEqual([1]);
    expect(await found(randomBytes(8).toString('hex'))).toEqual([]);
  });

  it('can be sent again, with the same key and body', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ event: 'twice' }));
    const sent = await admin(emulator, '/requests/1/again', { method: 'POST' });
    expect(sent).toMatchObject({ status: 200, body: { status: 200 } });
    expect(await emulator.countEvents({ name: 'twice' })).toMatchObject({ unique: 2 });
    expect(await emulator.requests()).toMatchObject([{ keyName: 'default' }, { keyName: 'default' }]);
  });

  it('can be tried with a test event', async () => {
    await using emulator = await startEmulator({ primaryKey: 'phone_number' });
    const test = () => admin(emulator, '/requests/test-event', { method: 'POST' });
    expect(await test()).toMatchObject({ body: { status: 200 } });
    expect(await emulator.events()).toMatchObject([
      { event: { event: 'test_event', correlationKey: 'phone_number' } },
    ]);
    using fault = emulator.fail({ kind: 'reset' });
    expect(await test()).toMatchObject({ body: { status: null } });
    expect(fault.hits).toBe(1);
  });
});
