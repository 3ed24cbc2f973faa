import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import { expect } from 'vitest';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { type CustomerReader, type CustomerReaderOptions, createCustomerReader } from '../src/index.ts';
import { KEY, TIMEOUT_MS } from './scripted-fetch.ts';

/** A service on this machine, on its own port. */
export interface Service extends AsyncDisposable {
  readonly apiUrl: string;
  /** All connections that clients opened, including closed ones. */
  readonly connections: Socket[];
}

export function httpService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Service> {
  return listen(createServer({ keepAliveTimeout: 60_000 }, answer));
}

/** A service that calls `answer` after the first bytes of a request. It may write anything, not only HTTP. */
export function socketService(answer: (socket: Socket) => void): Promise<Service> {
  return listen(createSocketServer((socket) => socket.once('data', () => answer(socket))));
}

async function listen(server: Server | SocketServer): Promise<Service> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    // Ignored: in these tests, clients close the connection in the middle of a request.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    connections,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** A reader of a real service. On its clock, waits before retries take no time. */
export function readerOf({ apiUrl }: Service, options: Partial<CustomerReaderOptions> = {}): CustomerReader {
  const clock = new VirtualClock(TIMEOUT_MS);
  return createCustomerReader({ apiUrl, apiKey: KEY, clock, timeoutMs: TIMEOUT_MS, ...options });
}

/** How many connections many reads at once open. */
export async function connectionsOf(readCount: number, concurrency: number | undefined): Promise<number> {
  await using service = await httpService((_request, response) => {
    setImmediate(() => response.end('{"a":1}'));
  });
  const reader = readerOf(service, { concurrency });
  const reads = Array.from({ length: readCount }, (_, index) => reader.read(`${index}`));
  expect(await Promise.all(reads)).toEqual(reads.map(() => ({ a: 1 })));
  return service.connections.length;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Resolves when the connection is closed. */
export function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    socket.once('close', () => resolve());
    socket.resume();
  });
}
