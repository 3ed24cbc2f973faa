import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BehaviourSwitch } from '../src/behaviour/behaviour-switch.ts';
import { Exchange } from '../src/http/exchange.ts';
import { createHttpServer } from '../src/http/http-server.ts';
import { startEmulator } from '../src/index.ts';
import { Account } from '../src/running/account.ts';
import { createApplication } from '../src/running/application.ts';
import { silentLogger } from '../src/running/logger.ts';
import type { Service } from './service.ts';

/** Sends raw bytes, and returns the whole answer. */
function answerTo({ baseUrl }: Pick<Service, 'baseUrl'>, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

/** Serves no path. */
async function serve(account: Account): Promise<{ server: Server; baseUrl: string }> {
  const behaviour = new BehaviourSwitch(account.database, undefined);
  const application = createApplication({
    ...{ logger: silentLogger, here: [], isElsewhere: () => false, otherUrl: () => '' },
    begin: ({ req, env }) => new Exchange(account, behaviour.current, req.path, env.incoming),
  });
  const server = createHttpServer(application, account, behaviour).listen(0, '127.0.0.1');
  onTestFinished(() => account.close());
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, baseUrl: `http://127.0.0.1:${port}` };
}

/** Serves from an account whose disk has no room for one more request. */
async function serveOnFullDisk() {
  const errors: string[] = [];
  const note = (_: object, message: string) => void errors.push(message);
  const account = new Account({ logger: { ...silentLogger, error: note } });
  const { baseUrl } = await serve(account);
  account.database.exec('PRAGMA max_page_count = 1');
  const { current } = new BehaviourSwitch(account.database, undefined);
  while (errors.length === 0) new Exchange(account, current).end(200);
  return { account, errors, stored: account.requests.newest, baseUrl };
}

/** Does what Node does once a connection has not sent a whole request within a minute. */
function timeOut(server: Server, socket: Socket): void {
  const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  server.emit('clientError', error, socket);
}

const HEAD = 'POST /api/events/batch/ HTTP/1.1\r\nConnection: close\r\n';

describe('what is no request of HTTP', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['another protocol', 'EHLO there\r\n\r\n', /Parse Error/],
    [
      'TLS',
      new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
      /it seems to be TLS\. The addresses begin with http:/,
    ],
    ['headers without an end', `${HEAD}X: ${'x'.repeat(40_000)}\r\n\r\n`, /Header overflow/],
    ['an impossible Host', `${HEAD}Host: a b/\r\n\r\n`, /its path and Host header make no address/],
    ['no Host', `${HEAD}\r\n`, /its path and Host header make no address \(Missing host header\)/],
    ['a proxy asked for', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', /CONNECT asks for a proxy/],
  ])('is refused with a reason that is kept as well: %s', async (_, bytes, reason) => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const [head = '', body = ''] = (await answerTo(emulator, bytes)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('access-control-allow-origin: *');
    const { error } = JSON.parse(body);
    expect(error).toEqual({ code: 'malformed_request', message: expect.stringMatching(reason) });
    expect(await emulator.requests()).toMatchObject([
      { method: '?', path: '?', status: 400, error, events: null },
    ]);
  });

  it('is not a request that expects what nobody knows: it is served', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await answerTo(emulator, `${HEAD}Host: a\r\nExpect: wonders\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(await emulator.requests()).toMatchObject([{ error: { code: 'missing_api_key' } }]);
  });

  it('holds up nobody who ends the emulator, even where the client does not let go', async () => {
    const emulator = await startEmulator();
    const socket = connect({ port: Number(new URL(emulator.baseUrl).port), allowHalfOpen: true });
    socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n');
    expect(await text(socket)).toContain('CONNECT asks for a proxy');
    await emulator.close();
    socket.destroy();
  });

  it('is answered in the form that refusals have', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', preset: 'quiet' });
    expect(await answerTo(emulator, 'EHLO there\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*content-length: 0[\s\S]*\r\n\r\n$/,
    );
  });

  it.each<[string, string, RegExp]>([
    ['another protocol', 'EHLO there\r\n\r\n', /400 [\s\S]*Parse Error/],
    ['no Host', `${HEAD}\r\n`, /400 [\s\S]*Missing host header/],
    ['a proxy asked for', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', /400 [\s\S]*CONNECT asks for/],
    ['a request to a wrong path', `${HEAD}Host: a\r\n\r\n`, /404 [\s\S]*unknown_path/],
  ])('is answered where the disk is full, though it cannot be kept: %s', async (_, bytes, answer) => {
    const { account, errors, stored, ...service } = await serveOnFullDisk();
    expect(await answerTo(service, bytes)).toMatch(answer);
    expect(account.requests.newest).toBe(stored);
    expect(errors.at(-1)).toBe('a request is answered, but cannot be stored');
    expect(errors).toHaveLength(2);
  });

  it('is answered 408 if it does not arrive completely in time', async () => {
    const account = new Account();
    const { server, ...service } = await serve(account);
    server.once('connection', (socket) => socket.once('data', () => timeOut(server, socket)));
    expect(await answerTo(service, HEAD)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(account.requests.list().rows).toMatchObject([
      { method: '?', status: 408, error: { code: 'request_timeout' } },
    ]);
  });

  it('is no connection on which nothing came in time: that is closed', async () => {
    const account = new Account();
    const { server, ...service } = await serve(account);
    server.once('connection', (socket) => timeOut(server, socket));
    expect(await answerTo(service, '')).toBe('');
    expect(account.requests.list().rows).toEqual([]);
  });

  it('is not made of a request that is cut short: that is kept once, as what it is', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const socket = connect(Number(new URL(emulator.baseUrl).port), '127.0.0.1');
    const key = `Authorization: Api-Key ${emulator.apiKey}\r\nContent-Type: application/json`;
    socket.end(`${HEAD}Host: x\r\n${key}\r\nContent-Length: 100\r\n\r\n{"batch":`);
    socket.resume();
    await expect.poll(() => emulator.requests()).toHaveLength(1);
    expect(await emulator.requests()).toMatchObject([
      {
        method: 'POST',
        status: null,
        bytes: 9,
        error: { code: 'malformed_request', message: 'The body ended too early.' },
      },
    ]);
  });
});
