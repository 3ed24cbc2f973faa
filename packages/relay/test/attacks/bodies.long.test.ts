import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { open, rawRequest } from '../bench/raw.ts';
import { ADA, listen, openSite, optionsOf, pageEvent, type Site, service } from '../bench/site.ts';

const MIB = 1024 * 1024;
const UNLIMITED = { ticketEventsPerMinute: 2 ** 31, addressEventsPerMinute: 2 ** 31 };

const headOf = (site: Site, ...more: readonly string[]) => [
  'POST /s HTTP/1.1',
  `Host: ${new URL(site.origin).host}`,
  `Origin: ${site.origin}`,
  'Content-Type: application/json',
  ...more,
];

describe('oversized bodies', () => {
  it('are refused once they are longer than the limit, whatever Content-Length says', async () => {
    const site = await openSite(optionsOf(await service()));
    expect(await site.send(' '.repeat(MIB + 1))).toMatchObject({ status: 413, body: { error: 'too_large' } });
    const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
    const endless = await rawRequest(
      site.origin,
      ...headOf(site, 'Transfer-Encoding: chunked', '', chunk.repeat(20)),
    );
    expect(endless).toMatch(/^HTTP\/1.1 413 .*connection: close/is);
    expect(site.relay.stats()).toMatchObject({ pendingBytes: 0, refused: { too_large: 2 } });
  });

  it('of too many events are refused, so that the page halves them', async () => {
    const site = await openSite(optionsOf(await service(), { limits: { maxEvents: 2 } }));
    const ticket = await site.ticket();
    const batch = [pageEvent(), pageEvent(), pageEvent()];
    expect(await site.send({ batch, ticket })).toMatchObject({ status: 413 });
    expect(await site.send({ batch: batch.slice(1), ticket })).toMatchObject({ status: 202 });
  });

  it('with one event that is too large: only that one is refused', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator, { limits: { maxEventBytes: 1_000 } }));
    const large = pageEvent({ payload: { text: 'x'.repeat(1_000) } });
    const body = { batch: [pageEvent(), large, pageEvent()], ticket: await site.ticket() };
    expect((await site.send(body)).body).toEqual({
      taken: 2,
      refused: [[1, expect.stringContaining('1000 bytes')]],
    });
    await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
  });
});

describe('bomb bodies', () => {
  it('of many objects are refused before they are parsed, though they come in a kilobyte', async () => {
    const site = await openSite(optionsOf(await service()));
    const bomb = gzipSync(`{"z":[${'{},'.repeat(300_000)}{}]}`);
    expect(bomb.length).toBeLessThan(1_500);
    expect(await site.send(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
  });

  it('are not inflated beyond the limit', async () => {
    const site = await openSite(optionsOf(await service()));
    const bomb = gzipSync(Buffer.alloc(200 * MIB, ' '));
    expect(bomb.length).toBeLessThan(MIB);
    const before = process.memoryUsage().rss;
    expect(await site.send(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
    expect(site.relay.stats().pendingBytes).toBe(0);
  });

  it('take no more memory than their texts while the service is slow', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const waiting: ServerResponse[] = [];
    const baseUrl = await listen((request, response) => {
      request.resume();
      waiting.push(response);
    });
    const site = await openSite(optionsOf({ baseUrl, apiKey: 'key' }, { durability: 'upstream' }));
    const ticket = await site.ticket();
    collect();
    const before = process.memoryUsage().heapUsed;
    const pad = Array.from({ length: 90_000 }, () => ({}));
    const all = Array.from({ length: 20 }, () => site.send({ batch: [pageEvent()], ticket, pad }));
    await vi.waitFor(() => expect(waiting).toHaveLength(20), PATIENCE);
    collect();
    // Parsed, they would take 100 MiB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * MIB);
    for (const response of waiting) response.end('{}');
    for (const { status } of await Promise.all(all)) expect(status).toBe(202);
  });

  it('take no more memory together than there is, however small they come', async () => {
    let end: (customer: string) => void = () => {};
    const signedIn = new Promise<string>((resolve) => {
      end = resolve;
    });
    const options = optionsOf(await service(), { limits: { maxPendingBytes: 2 * MIB } });
    const site = await openSite({ ...options, identify: () => signedIn });
    const bomb = gzipSync(JSON.stringify({ pad: ' '.repeat(MIB / 2) }));
    const all = Array.from({ length: 20 }, () => site.send(bomb, { 'content-encoding': 'gzip' }));
    await vi.waitFor(() => expect(site.relay.stats().refused.busy).toBeGreaterThanOrEqual(16), PATIENCE);
    expect(site.relay.stats().pendingBytes).toBeLessThanOrEqual(2 * MIB);
    end(ADA);
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(
      20 - (site.relay.stats().refused.busy ?? 0),
    );
    expect(site.relay.stats().pendingBytes).toBe(0);
  });

  it('are taken if they are none: gzip of a page', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const body = gzipSync(JSON.stringify({ batch: [pageEvent()], ticket: await site.ticket() }));
    expect(await site.send(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 202 });
    await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(await site.send(body.subarray(9), { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 });
    for (const encoding of ['br', 'gzip, gzip', 'deflate']) {
      expect(await site.send(body, { 'content-encoding': encoding })).toMatchObject({ status: 415 });
    }
  });

  it('that are nested too deeply are refused before they are parsed', async () => {
    const site = await openSite(optionsOf(await service()));
    const ticket = await site.ticket();
    expect(await site.send('['.repeat(MIB))).toMatchObject({ status: 400, body: { error: 'malformed' } });
    expect(await site.send('{"a":'.repeat(100_000))).toMatchObject({ status: 400 });
    const nested = (depth: number) => `${'['.repeat(depth)}"]]\\"["${']'.repeat(depth)}`;
    const withPayload = (text: string) =>
      `{"batch":[{"event":"a","source":"custom","uuid":"${randomUUID()}","payload":{"a":${text}}}],"ticket":"${ticket}"}`;
    // With the object around it, as deep as track() takes it.
    expect(await site.send(withPayload(nested(500)))).toMatchObject({ status: 202, body: { taken: 1 } });
    expect(await site.send(withPayload(nested(501)))).toMatchObject({ status: 400 });
  });

  it('that are no batch are refused', async () => {
    const site = await openSite(optionsOf(await service()));
    const ticket = await site.ticket();
    for (const body of [
      '',
      'null',
      '[]',
      '7',
      '{"batch"',
      '{"batch":{}}',
      '{"batch":[]}',
      '\u0000',
      '"{}"',
    ]) {
      expect(await site.send(body), body).toMatchObject({ status: 400, body: { error: 'malformed' } });
    }
    for (const parcel of ['', 7, null, 'x']) {
      expect(await site.send({ batch: [pageEvent()], ticket, parcel })).toMatchObject({ status: 400 });
    }
  });

  it('of events that are none: each is refused with its index and a reason', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const batch = [
      null,
      [],
      pageEvent({ uuid: 'x' }),
      pageEvent(),
      pageEvent({ event: '' }),
      pageEvent({ source: undefined }),
      pageEvent({ payload: [] }),
      pageEvent({ timestamp: 'yesterday' }),
      pageEvent({ source: 7 }),
      JSON.parse(
        `{"event":"a","source":"custom","uuid":"${randomUUID()}","payload":{"__proto__":{"isAdmin":true}}}`,
      ),
    ];
    const { status, body } = await site.send({ batch, ticket: await site.ticket() });
    expect(status).toBe(202);
    expect(body.taken).toBe(2);
    expect((body.refused as unknown[][]).map(([index]) => index)).toEqual([0, 1, 2, 4, 5, 6, 7, 8]);
    await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });
});

describe('slow loris', () => {
  it('does not hold up others: the body that comes most slowly gives way when memory is short', async () => {
    const emulator = await service();
    const limits = { ...UNLIMITED, maxPendingBytes: 4 * MIB };
    const site = await openSite(optionsOf(emulator, { limits }));
    const ticket = await site.ticket();
    const slow: Socket[] = [];
    const answers: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const socket = open(site.origin);
      socket.on('data', (chunk) => answers.push(String(chunk)));
      await once(socket, 'connect');
      socket.write(headOf(site, `Content-Length: ${MIB}`, '', 'x'.repeat(MIB - 1_000)).join('\r\n'));
      slow.push(socket);
    }
    await expect.poll(() => answers.length).toBeGreaterThanOrEqual(8);
    expect(answers.every((text) => /^HTTP\/1.1 503 .*retry-after: 1/is.test(text))).toBe(true);
    for (let count = 0; count < 20; count += 1) {
      expect(await site.send({ batch: [pageEvent()], ticket })).toMatchObject({ status: 202 });
      expect(site.relay.stats().pendingBytes).toBeLessThan(4 * MIB);
    }
    for (const socket of slow) socket.destroy();
    await expect.poll(() => site.relay.stats().pendingBytes).toBe(0);
  });
});

describe('header smuggling', () => {
  it('a request with two lengths is not read', async () => {
    const site = await openSite(optionsOf(await service()));
    const ticket = await site.ticket();
    const inner = JSON.stringify({ batch: [pageEvent()], ticket });
    const smuggled = headOf(site, `Content-Length: ${inner.length}`, '', inner).join('\r\n');
    const both = headOf(
      site,
      `Content-Length: ${smuggled.length + 5}`,
      'Transfer-Encoding: chunked',
      '',
      '0',
      '',
      smuggled,
    );
    const twice = headOf(
      site,
      'Content-Length: 2',
      `Content-Length: ${smuggled.length + 2}`,
      '',
      `{}${smuggled}`,
    );
    const signed = headOf(site, 'Content-Length: +2', '', '{}');
    const folded = headOf(site, 'X-A: b', ' Transfer-Encoding: chunked', 'Content-Length: 2', '', '{}');
    const spaced = headOf(site, 'Transfer-Encoding : chunked', '', '0', '', smuggled);
    for (const lines of [both, twice, signed, folded, spaced]) {
      expect(await rawRequest(site.origin, ...lines)).toMatch(/^HTTP\/1.1 400 /);
    }
    expect(site.relay.stats().taken).toBe(0);
  });

  it('a bare line feed in a header ends no header', async () => {
    const site = await openSite(optionsOf(await service()));
    const lines = headOf(
      site,
      `Cookie: session=x\nOrigin: ${site.origin}`,
      'Content-Length: 2',
      'Connection: close',
      '',
      '{}',
    );
    expect(await rawRequest(site.origin, ...lines)).not.toMatch(/"ticket"/);
  });

  it('two origins are none', async () => {
    const site = await openSite(optionsOf(await service()));
    const head = headOf(site, 'Origin: https://evil.example', `Cookie: session=${ADA}`, 'Connection: close');
    const answered = await rawRequest(site.origin, ...head, 'Content-Length: 2', '', '{}');
    expect(answered).toMatch(/^HTTP\/1.1 403 /);
    const list = { origin: `${site.origin}, https://evil.example`, cookie: `session=${ADA}` };
    expect(await site.send({}, list)).toMatchObject({ status: 403 });
  });
});
