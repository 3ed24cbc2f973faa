import { once } from 'node:events';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import { createCustomerReader, DeliveryError } from '../../src/index.ts';
import { bodyOf, gone, httpService, readerOf, type Service, socketService } from '../node-service.ts';
import { ADA, KEY, rejection, TIMEOUT_MS } from '../scripted-fetch.ts';

function ok(value: unknown): string {
  const body = JSON.stringify(value);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

async function failureOf(read: Promise<unknown>): Promise<DeliveryError> {
  const error = await rejection(read);
  if (error instanceof DeliveryError) return error;
  throw error;
}

describe('a service', () => {
  it('gets the request that the interface describes', async () => {
    const requests: unknown[] = [];
    await using service = await httpService(async (request, response) => {
      const { method, url, headers } = request;
      requests.push({ method, url, ...headers, body: await bodyOf(request) });
      response.end(JSON.stringify(ADA));
    });
    expect(await readerOf(service).read('żółć "1"')).toEqual(ADA);
    expect(requests).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: '/customers/read',
        authorization: `Api-Key ${KEY}`,
        'content-type': 'application/json',
        body: '{"primary_key":"żółć \\"1\\""}',
      }),
    ]);
  });

  it('may compress', async () => {
    await using service = await httpService((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync(JSON.stringify(ADA)));
    });
    expect(await readerOf(service).read('a')).toEqual(ADA);
  });

  it('that resets connections, before or after its first bytes, is asked again', async () => {
    let visits = 0;
    await using service = await socketService((socket) => {
      visits += 1;
      if (visits === 1) socket.resetAndDestroy();
      else if (visits === 2)
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"', () => socket.destroy());
      else if (visits === 3) socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":');
      else socket.end(ok(ADA));
    });
    expect(await readerOf(service).read('a')).toEqual(ADA);
    expect(visits).toBe(4);
  });

  it('that never gets beyond a reset is an error that says so', async () => {
    await using service = await socketService((socket) => socket.resetAndDestroy());
    const error = await failureOf(readerOf(service).read('a'));
    expect(error).toMatchObject({ status: undefined, retryable: true });
    expect(error.message).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/customers\/read failed: \S/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('that is not there is an error that says so', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    server.close();
    await once(server, 'close');
    const service = { apiUrl: `http://127.0.0.1:${port}` } as Service;
    const error = await failureOf(readerOf(service).read('a'));
    expect(error.message).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
    expect(error.retryable).toBe(true);
  });

  it('that redirects does not get the key carried elsewhere', async () => {
    let elsewhere = 0;
    await using other = await httpService((_request, response) => {
      elsewhere += 1;
      response.end(JSON.stringify(ADA));
    });
    for (const status of [301, 302, 303, 307, 308]) {
      await using service = await httpService((_request, response) => {
        response.writeHead(status, { location: `${other.apiUrl}/customers/read` }).end();
      });
      const error = await failureOf(readerOf(service).read('a'));
      expect(error).toMatchObject({ status, retryable: false });
      expect(error.message).toContain(`was redirected to ${other.apiUrl}/customers/read`);
    }
    expect(elsewhere).toBe(0);
  });

  it('that is another web server is told from one that has no such customer', async () => {
    await using service = await httpService((_request, response) => {
      const page = '<html><head><title>404 Not Found</title></head></html>';
      response.writeHead(404, { 'content-type': 'text/html' }).end(page);
    });
    const error = await failureOf(readerOf(service).read('a'));
    expect(error).toMatchObject({ status: 404, retryable: false });
    expect(error.message).toContain('correct apiUrl, or set isNotFound');
  });

  it('that redirects without saying where to is an error that says so', async () => {
    await using service = await httpService((_request, response) => {
      response.writeHead(302).end();
    });
    const error = await failureOf(readerOf(service).read('a'));
    expect(error.message).toMatch(/was redirected to an unknown address: correct apiUrl$/);
  });

  it('that sends without end is left at the limit, and its connection closed', async () => {
    await using service = await httpService((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const send = (): void => {
        while (response.write(chunk));
        response.once('drain', send);
      };
      send();
    });
    const error = await failureOf(readerOf(service, { maxResponseBytes: 100_000 }).read('a'));
    expect(error).toMatchObject({ status: 200, retryable: false, excerpt: '' });
    await Promise.all(service.connections.map(gone));
  });

  it('that sends broken compression is an error', async () => {
    await using service = await httpService((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end('not gzip');
    });
    expect(await failureOf(readerOf(service).read('a'))).toMatchObject({ retryable: true });
  });

  it('that answers something else than HTTP is an error, without the key that it echoes', async () => {
    await using service = await socketService((socket) => socket.end(`Api-Key ${KEY}\r\n${KEY}\r\n\r\n`));
    const error = await failureOf(readerOf(service).read('a'));
    expect(error.retryable).toBe(true);
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('canary');
  });

  it('that hangs is left after the time-out, and its connection closed', async () => {
    const clock = new VirtualClock();
    await using service = await httpService(() => clock.advance(5000));
    const error = await failureOf(readerOf(service, { clock, timeoutMs: 5000, retries: 0 }).read('a'));
    expect(error.message).toMatch(/timed out after 5000 ms$/);
    await Promise.all(service.connections.map(gone));
    expect(clock.pending).toBe(0);
  });

  it('that stops in the middle of its body is left after the time-out', async () => {
    const clock = new VirtualClock();
    await using service = await httpService((_request, response) => {
      response.write('{"a":', () => clock.advance(5000));
    });
    const error = await failureOf(readerOf(service, { clock, timeoutMs: 5000, retries: 0 }).read('a'));
    expect(error.message).toMatch(/timed out after 5000 ms$/);
    await Promise.all(service.connections.map(gone));
  });

  it('whose only reader leaves sees the connection closed', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    let visits = 0;
    await using service = await httpService(() => {
      visits += 1;
      controller.abort(reason);
    });
    expect(await rejection(readerOf(service).read('a', { signal: controller.signal }))).toBe(reason);
    await Promise.all(service.connections.map(gone));
    expect(visits).toBe(1);
  });

  it('is asked once by many who read one key', async () => {
    let visits = 0;
    await using service = await httpService((_request, response) => {
      visits += 1;
      response.end(JSON.stringify(ADA));
    });
    const reader = readerOf(service);
    const customers = await Promise.all(Array.from({ length: 100 }, () => reader.read('a')));
    expect(customers).toEqual(Array.from({ length: 100 }, () => ADA));
    expect(visits).toBe(1);
  });

  it('that asks for time gets it', async () => {
    let visits = 0;
    await using service = await httpService((_request, response) => {
      visits += 1;
      if (visits === 1) response.writeHead(429, { 'retry-after': '7' }).end('slow down');
      else response.end(JSON.stringify(ADA));
    });
    const clock = new VirtualClock(TIMEOUT_MS);
    expect(await readerOf(service, { clock, random: () => 0 }).read('a')).toEqual(ADA);
    expect(clock.delays).toEqual([7000]);
  });

  it('that echoes the request does not bring the key into an error', async () => {
    await using service = await httpService(async (request, response) => {
      response.writeHead(400, { 'x-echo': KEY }).end(JSON.stringify(request.headers));
    });
    const error = await failureOf(readerOf(service).read('a'));
    expect(error.excerpt).toContain('Api-Key [key]');
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('canary');
  });
});

it('a reader shows no key when it is inspected', () => {
  const reader = createCustomerReader({ apiUrl: 'http://127.0.0.1:4200', apiKey: KEY, cache: { ttlMs: 5 } });
  expect(inspect(reader, { depth: null, showHidden: true, getters: true })).not.toContain('canary');
});
