import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { VirtualClock } from '@sluice/core/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createRelay } from '../../src/index.ts';
import { listen, openSite, optionsOf, pageEvent, SILENT, service } from '../bench/site.ts';

describe("durability: 'upstream'", () => {
  it('needs no directory, so it runs where the user has no home directory', async () => {
    for (const name of ['HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = optionsOf({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key' });
    expect(() => createRelay(options)).toThrow('directory is required where the user has no home directory');
    await createRelay({ ...options, durability: 'upstream' }).close();
  });

  it('answers 202 after the service has accepted the events, in one request for each', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator, { durability: 'upstream' }));
    const ticket = await site.ticket();
    const batch = [pageEvent({ correlationValue: 'x' }), pageEvent({ event: 7 }), pageEvent()];
    const { status, body } = await site.send({ batch, ticket });
    expect({ status, body }).toEqual({ status: 202, body: { taken: 2, refused: [[1, expect.any(String)]] } });
    expect(await emulator.countEvents()).toMatchObject({ received: 2 });
    expect(await emulator.requests()).toHaveLength(1);
    expect(site.relay.stats().window).toBeUndefined();
  });

  it('answers 503 for most else, and the page keeps its events; the log says why, each reason once in ten seconds', async () => {
    const clock = new VirtualClock(Date.parse('2026-11-21T10:00:00Z'));
    const dates = { date: 'Sat, 21 Nov 2020 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2020 10:00:09 GMT' };
    const answers: [status: number, headers: object, body: string][] = [
      [500, {}, ''],
      [401, {}, '{}'],
      [429, { 'retry-after': '7' }, ''],
      [503, dates, ''],
      [302, { location: '/' }, ''],
      [200, {}, '<!doctype html><p>Log in to the network'],
      [200, {}, '{}'],
    ];
    const baseUrl = await listen((request, response) => {
      request.resume();
      const [status, headers, body] = answers.shift() ?? [500, {}, ''];
      request.on('end', () => response.writeHead(status, { ...headers }).end(body));
    });
    const logged: string[] = [];
    const logger = { ...SILENT, error: (data: object) => void logged.push(`${Reflect.get(data, 'err')}`) };
    const options = optionsOf({ baseUrl, apiKey: 'key' }, { durability: 'upstream', clock, logger });
    const site = await openSite(options);
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    const got: unknown[] = [];
    for (let request = 0; request < 7; request += 1) {
      if (request === 5) await clock.advance(10_000);
      const { status, headers } = await site.send(body);
      got.push([status, headers['retry-after']]);
    }
    expect(got).toEqual([
      [503, '1'],
      [503, '1'],
      [503, '7'],
      [503, '9'],
      [503, '1'],
      [503, '1'],
      [202, undefined],
    ]);
    expect(logged).toEqual([
      'Error: the service answered 500 with nothing',
      'Error: the service answered 401 with {}',
      'Error: the service answered 429 with nothing',
      'Error: the service answered 503 with nothing',
      'Error: the service answered 302 with nothing',
      'Error: the service answered 200 with a web page',
    ]);
  });

  it.each([
    ['a comment', '<!-- portal --><html>'],
    ['a head', '<head><title>Log in'],
    ['a script', '<script>location = "/login"</script>'],
    ['a meta', '<meta http-equiv="refresh" content="0; url=/login">'],
    ['XHTML', '<?xml version="1.0"?>\n<!DOCTYPE html>'],
    ['gzip', gzipSync('<!doctype html>')],
    ['UTF-16', Buffer.from('\ufeff<!doctype html>', 'utf16le')],
  ])("answers 503 where a portal's page came in place of the service's answer: %s", async (_, page) => {
    const baseUrl = await listen((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
    });
    const site = await openSite(
      optionsOf({ baseUrl, apiKey: 'key' }, { durability: 'upstream', logger: SILENT }),
    );
    const answered = await site.send({ batch: [pageEvent()], ticket: await site.ticket() });
    expect(answered).toMatchObject({ status: 503, body: { error: 'not_durable' } });
  });

  it.each([400, 406, 409, 415, 422, 501])(
    'answers 400 for a %i, so that the page finds the event at fault, and logs it',
    async (status) => {
      const emulator = await service();
      emulator.fail({ kind: 'status', status });
      const logged: string[] = [];
      const logger = { ...SILENT, error: (data: object) => void logged.push(`${Reflect.get(data, 'err')}`) };
      const site = await openSite(optionsOf(emulator, { durability: 'upstream', logger }));
      const body = { batch: [pageEvent(), pageEvent()], ticket: await site.ticket() };
      expect(await site.send(body)).toMatchObject({ status: 400, body: { error: 'malformed' } });
      expect(site.relay.stats()).toMatchObject({ taken: 0, refused: { malformed: 1 } });
      expect(logged).toEqual([
        expect.stringMatching(new RegExp(`^Error: the service answered ${status} with .`)),
      ]);
    },
  );

  it('answers 413 where that is too much for the service, so that the page halves it', async () => {
    const emulator = await service();
    emulator.fail({ kind: 'status', status: 413 });
    const site = await openSite(optionsOf(emulator, { durability: 'upstream' }));
    const body = { batch: [pageEvent(), pageEvent()], ticket: await site.ticket() };
    expect(await site.send(body)).toMatchObject({ status: 413, body: { error: 'too_large' } });
  });

  it('waits for the answers to pending requests when the relay is closed, but not for long', async () => {
    const responses: ServerResponse[] = [];
    const baseUrl = await listen((_request, response) => void responses.push(response));
    const site = await openSite(optionsOf({ baseUrl, apiKey: 'key' }, { durability: 'upstream' }));
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    const answered = [site.send(body), site.send(body)];
    await expect.poll(() => responses.length).toBe(2);
    const ending = new AbortController();
    const closed = site.relay.close({ timeoutMs: Number.POSITIVE_INFINITY, signal: ending.signal });
    responses[0]?.end('{}');
    const statuses = answered.map(async (one) => (await one).status);
    await expect(Promise.race(statuses)).resolves.toBe(202);
    ending.abort();
    await closed;
    expect((await Promise.all(statuses)).sort()).toEqual([202, 503]);
  });

  it('waits for those too whose body comes while it is being closed: their events would arrive twice', async () => {
    const responses: ServerResponse[] = [];
    const baseUrl = await listen((_request, response) => void responses.push(response));
    const site = await openSite(optionsOf({ baseUrl, apiKey: 'key' }, { durability: 'upstream' }));
    const body = JSON.stringify({ batch: [pageEvent()], ticket: await site.ticket() });
    const headers = { origin: site.origin, 'content-type': 'application/json' };
    const slow = request(`${site.origin}/s`, { method: 'POST', agent: false, headers });
    const slowAnswered = once(slow, 'response');
    slow.write(body.slice(0, 9));
    await expect.poll(() => site.relay.stats().pendingBytes).toBeGreaterThan(0);
    const answered = site.send(body);
    await expect.poll(() => responses.length).toBe(1);
    const closed = site.relay.close({ timeoutMs: PATIENCE.timeout });
    slow.end(body.slice(9));
    await expect.poll(() => responses.length).toBe(2);
    responses[0]?.end('{}');
    expect((await answered).status).toBe(202);
    responses[1]?.end('{}');
    const [response] = await slowAnswered;
    expect(response.resume().statusCode).toBe(202);
    await closed;
  });
});
