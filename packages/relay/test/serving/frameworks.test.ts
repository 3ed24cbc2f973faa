import { gzipSync } from 'node:zlib';
import { type HttpBindings, serve } from '@hono/node-server';
import express from 'express';
import Fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { answerNode } from '../../src/adapters/node.ts';
import { createRelay, type Relay, toFastifyHandler, toHonoHandler, toNodeHandler } from '../../src/index.ts';
import { rawRequest } from '../bench/raw.ts';
import { ADA, directory, listen, optionsOf, pageEvent, Site, service } from '../bench/site.ts';

type Start = (relay: Relay) => Promise<string>;

const overFastify =
  (parser?: (scope: FastifyInstance) => void): Start =>
  async (relay) => {
    const app = Fastify();
    app.register(async (scope) => {
      if (parser) {
        scope.removeAllContentTypeParsers();
        parser(scope);
      }
      scope.all('/s', toFastifyHandler(relay));
    });
    onTestFinished(() => app.close());
    return app.listen({ host: '127.0.0.1', port: 0 });
  };

const leavingTheBody = (scope: FastifyInstance) =>
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
const asBytes = (scope: FastifyInstance) =>
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

const overHono =
  (reads?: 'json' | 'arrayBuffer'): Start =>
  async (relay) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    if (reads) {
      app.use(async (context, next) => {
        await context.req[reads]().catch(() => undefined);
        await next();
      });
    }
    app.all('/s', toHonoHandler(relay));
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      onTestFinished(() => void server.close());
    });
  };

const overExpress =
  (...parsers: readonly express.RequestHandler[]): Start =>
  async (relay) => {
    const app = express();
    for (const parser of parsers) app.use(parser);
    app.all('/s', toNodeHandler(relay));
    return listen(app);
  };

/** As Next calls a route handler, which it has made from the request of node:http. */
const overNext: Start = (relay) => {
  const POST = (request: Request) => relay(request);
  return listen(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = `http://${request.headers.host}${request.url}`;
    const headers = new Headers(request.headers as Record<string, string>);
    const { method = '' } = request;
    const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const answered = await POST(new Request(url, { method, headers, ...body }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
  });
};

const ROADS: readonly (readonly [name: string, start: Start])[] = [
  ['node:http', (relay) => listen(toNodeHandler(relay))],
  ['Express', overExpress()],
  ['Express with express.json()', overExpress(express.json({ limit: '1mb' }))],
  ['Express with express.raw()', overExpress(express.raw({ type: '*/*' }))],
  ['Express with express.text()', overExpress(express.text({ type: '*/*' }))],
  ['Fastify', overFastify()],
  ['Fastify that leaves the body to the relay', overFastify(leavingTheBody)],
  ['Hono', overHono()],
  ['Hono with a middleware that has parsed the body', overHono('json')],
  ['a Next route handler', overNext],
];

describe.each(ROADS)('%s', (_, start) => {
  it('gives tickets, takes events, and refuses', async () => {
    const emulator = await service();
    const context = { key: 'relay', address: true };
    const relay = createRelay({ ...optionsOf(emulator, { context }), directory: await directory() });
    onTestFinished(() => relay.close({ timeoutMs: 0 }));
    const site = new Site(relay, await start(relay));
    const ticket = await site.ticket(ADA);
    const event = pageEvent();
    expect(await site.send({ batch: [event], ticket })).toMatchObject({
      status: 202,
      headers: { 'content-type': expect.stringMatching(/^application.json/), 'cache-control': 'no-store' },
      body: { taken: 1, refused: [] },
    });
    const [arrived] = await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(arrived).toMatchObject({ uuid: event.uuid, event: { correlationValue: ADA } });
    expect(await site.send({ batch: [event], ticket: 'x' })).toMatchObject({ status: 401 });
    expect(await site.send({ batch: [event], ticket }, { origin: 'null' })).toMatchObject({ status: 403 });
    expect((await site.send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await site.send('{')).status).toBe(400);
  });
});

it.each([
  ['Fastify leaves it to the relay', overFastify(leavingTheBody)],
  ['Fastify has read its bytes', overFastify(asBytes)],
  ['a middleware of Hono has read its bytes', overHono('arrayBuffer')],
])('takes a gzipped body where %s', async (_, start) => {
  const emulator = await service();
  const relay = createRelay({ ...optionsOf(emulator), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const site = new Site(relay, await start(relay));
  const body = gzipSync(JSON.stringify({ batch: [pageEvent()], ticket: await site.ticket() }));
  expect(await site.send(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 202 });
  const bomb = gzipSync(' '.repeat(2 * 1024 * 1024));
  expect(await site.send(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
  expect(await site.send('')).toMatchObject({ status: 400, body: { error: 'malformed' } });
});

it('gives identify() the request of the framework, which has the session', async () => {
  const identify = (_: Request, native: unknown) => String(Reflect.get(Object(native), 'user'));
  const relay = createRelay({ ...optionsOf(await service(), { identify }), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const app = express();
  app.use((request, _response, next) => {
    Object.assign(request, { user: ADA });
    next();
  });
  app.all('/s', toNodeHandler(relay));
  const site = new Site(relay, await listen(app));
  expect((await site.send({})).body).toMatchObject({ customer: ADA });
});

it('bodies that a framework has parsed count as memory too: beyond the bound, they are refused', async () => {
  const ends: (() => void)[] = [];
  const identify = () => new Promise<string>((resolve) => ends.push(() => resolve(ADA)));
  const limits = { maxPendingBytes: 1024 * 1024 };
  const relay = createRelay({
    ...optionsOf(await service(), { identify, limits }),
    directory: await directory(),
  });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const site = new Site(relay, await overExpress(express.json({ limit: '1mb' }))(relay));
  const body = { text: 'x'.repeat(600_000) };
  const first = site.send(body);
  await expect.poll(() => relay.stats().pendingBytes).toBeGreaterThan(600_000);
  expect(await site.send(body)).toMatchObject({ status: 503, body: { error: 'busy' } });
  for (const end of ends) end();
  expect((await first).status).toBe(200);
  expect(relay.stats()).toMatchObject({ pendingBytes: 0, refused: { busy: 1 } });
});

it('a body that somebody has read and not kept is malformed, and hangs nobody', async () => {
  const relay = createRelay({ ...optionsOf(await service()), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const handle = toNodeHandler(relay);
  const origin = await listen((request, response) => {
    request.resume();
    request.on('end', () => setImmediate(handle, request, response));
  });
  expect(await new Site(relay, origin).send({})).toMatchObject({ status: 400 });
});

it('a request with an address that is none is malformed, and no failure of the relay', async () => {
  const logged: unknown[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (data: object) => void logged.push(data) };
  const relay = createRelay({ ...optionsOf(await service(), { logger }), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const origin = await listen(toNodeHandler(relay));
  const host = new URL(origin).host;
  for (const path of ['//', '//:x', 'http://user:word@shop.example/s']) {
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Content-Type: application/json',
    ];
    const answered = await rawRequest(origin, ...head, 'Content-Length: 2', 'Connection: close', '', '{}');
    expect(answered, path).toMatch(/^HTTP\/1.1 400 .*"malformed"/s);
  }
  expect(logged).toEqual([]);
});

it('a connection that is closed before the relay reads it is let go', async () => {
  const relay = createRelay({ ...optionsOf(await service()), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const handle = toNodeHandler(relay);
  const origin = await listen((request, response) => {
    request.on('error', () => undefined);
    request.on('close', () => setImmediate(handle, request, response));
    request.destroy();
  });
  await expect(new Site(relay, origin).send({})).rejects.toThrow();
  await expect.poll(() => relay.stats()).toMatchObject({ pendingBytes: 0, refused: { too_slow: 1 } });
});

describe('a request that a middleware has answered meanwhile', () => {
  it('gets no second answer, which would end the process', async () => {
    const relay = createRelay({ ...optionsOf(await service()), directory: await directory() });
    onTestFinished(() => relay.close({ timeoutMs: 0 }));
    let answered: Promise<void> | undefined;
    const origin = await listen((request, response) => {
      answered = answerNode(relay, request, response);
      response.writeHead(504).end();
    });
    expect((await new Site(relay, origin).send({})).status).toBe(504);
    await expect(answered).resolves.toBeUndefined();
  });
});
