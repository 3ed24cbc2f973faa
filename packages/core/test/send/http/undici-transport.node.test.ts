import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { startEmulator } from '@sluice/emulator';
import { afterAll, describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../../src/send/http/transport.ts';
import { UndiciTransport } from '../../../src/send/http/undici-transport.ts';
import { describeAtHostileService } from '../../contracts/hostile-contract.ts';
import { describeTransport } from '../../contracts/transport-contract.ts';
import { startHostileService } from '../../hostile/hostile-service.ts';
import { LONG } from '../../hostile/trial.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
const hostile = await startHostileService();
afterAll(() => Promise.all([emulator.close(), hostile.close()]));

const create = () => new UndiciTransport();
describeTransport('UndiciTransport', create, emulator);
describeAtHostileService('UndiciTransport', create, hostile, {
  ...{ seesConnections: true, takesContinue: false, isBrowser: false },
  endsNonsense: true,
  takesEarlyAnswers: true,
  countTimers: () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
});

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function request(url: string, body: Uint8Array): TransportRequest {
  return { url, headers: {}, body, timeouts: LONG, signal: new AbortController().signal };
}

it('closes connections that have not come about', async () => {
  const silent = createServer();
  const port = await listen(silent);
  const transport = create();
  const posted = transport.post(request(`https://127.0.0.1:${port}/`, new Uint8Array(2)));
  const [socket] = await once(silent, 'connection');
  await transport.close();
  expect(await posted).toMatchObject({ kind: 'failed', maybeSent: false });
  await once(socket.resume(), 'close');
  silent.close();
});

it.each(['127.0.0.1', 'localhost'])(
  'says in words that nothing listens at %s, and keeps the code',
  async (host) => {
    const nobody = createServer();
    const port = await listen(nobody);
    nobody.close();
    await once(nobody, 'close');
    const transport = create();
    expect(await transport.post(request(`http://${host}:${port}/`, new Uint8Array(2)))).toMatchObject({
      kind: 'failed',
      maybeSent: false,
      cause: {
        code: 'ECONNREFUSED',
        message: `nothing listens at ${host}:${port} (wrong port? service down?): ECONNREFUSED`,
        cause: { code: 'ECONNREFUSED' },
      },
    });
    await transport.close();
  },
);

it('says in one line that the service speaks no TLS', async () => {
  const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const port = await listen(plain);
  const transport = create();
  expect(await transport.post(request(`https://127.0.0.1:${port}/`, new Uint8Array(2)))).toMatchObject({
    kind: 'failed',
    maybeSent: false,
    cause: {
      message: expect.stringMatching(
        /^127\.0\.0\.1:\d+ speaks no TLS \(http in place of https\?\): ERR_SSL_\w+$/,
      ),
    },
  });
  await transport.close();
  plain.close();
});

it('gives a connection up that does not come about in time', async () => {
  const silent = createServer();
  const port = await listen(silent);
  const transport = create();
  const given = request(`https://127.0.0.1:${port}/`, new Uint8Array(2));
  const posted = transport.post({ ...given, timeouts: { ...given.timeouts, connectMs: 100 } });
  const [socket] = await once(silent, 'connection');
  expect(await posted).toMatchObject({ kind: 'failed', maybeSent: false });
  await once(socket.resume(), 'close');
  await transport.close();
  silent.close();
});

it('reads nothing more of a body once there is an answer, though it is not sent yet', async () => {
  const sockets: Socket[] = [];
  const early = createServer((socket) => {
    sockets.push(socket);
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  const url = `http://127.0.0.1:${await listen(early)}/`;
  const transport = create();
  const body = new Uint8Array(16 * 1024 * 1024).fill(1);
  expect(await transport.post(request(url, body))).toMatchObject({ kind: 'answered', status: 200 });
  body.fill(2);
  const [socket] = sockets;
  let bytes = 0;
  socket?.on('data', (chunk) => {
    bytes += chunk.length;
    expect(chunk.includes(2)).toBe(false);
  });
  await once(socket?.on('error', () => {}).resume() ?? early, 'close');
  expect(bytes).toBeLessThan(body.length);
  // The next request uses another connection.
  expect(await transport.post(request(url, new Uint8Array(2)))).toMatchObject({ kind: 'answered' });
  expect(sockets).toHaveLength(2);
  await transport.close();
  early.close();
});

describe('a service of which each connection leads to another node', () => {
  it.each([
    [200, 1],
    [429, 1],
    [400, 3],
    [403, 3],
    [500, 3],
    [503, 3],
  ])('that answers %i gets three requests over %i connections', async (status, connections) => {
    let opened = 0;
    const service = createHttpServer((message, answer) => {
      message.resume().on('end', () => answer.writeHead(status).end('{}'));
    });
    service.on('connection', () => {
      opened += 1;
    });
    const url = `http://127.0.0.1:${await listen(service)}/`;
    const transport = create();
    for (let count = 0; count < 3; count += 1)
      expect(await transport.post(request(url, new Uint8Array(2)))).toMatchObject({ status });
    expect(opened).toBe(connections);
    await transport.close();
    service.close();
  });
});
