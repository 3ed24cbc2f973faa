import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { startEmulator } from '@sluice/emulator';
import { expect, it } from 'vitest';
import { createTracker, type TrackerOptions } from '../../../src/index.ts';

/** A collector of JSON lines that refuses a batch with a bad line. Returns the uuids of what it took. */
async function collect(use: (baseUrl: string) => Promise<void>): Promise<string[]> {
  const uuids: string[] = [];
  const server = createServer(async (request, response) => {
    const isGzip = request.headers['content-encoding'] === 'gzip';
    const body = await text(isGzip ? request.pipe(createGunzip()) : request);
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; uuid: string });
    const isKnown = request.url === '/v2/lines' && request.headers.authorization === 'Bearer secret-of-mine';
    const isBad = lines.some(({ event }) => event === 'bad');
    if (isKnown && !isBad) uuids.push(...lines.map(({ uuid }) => uuid));
    response.writeHead(isKnown ? (isBad ? 422 : 204) : 404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return uuids;
}

it.each([false, true])('a collector of JSON lines gets each event once (compress: %s)', async (compress) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-destination-'));
  let delivered = 0;
  const uuids = await collect(async (baseUrl) => {
    const options: TrackerOptions = {
      ...{ baseUrl, apiKey: 'secret-of-mine', correlationKey: 'id', journalDirectory: directory, compress },
      destination: {
        ...{ path: '/lines', head: '', separator: '\n', tail: '\n' },
        headers: (apiKey) => ({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-ndjson' }),
      },
      logger: false,
    };
    const first = createTracker(options);
    for (let number = 0; number < 2_000; number += 1)
      first.track(number === 700 ? 'bad' : 'good', { number, text: 'ä\n' }, { correlationValue: 'ada' });
    await first.durable();
    await first.close({ timeoutMs: 0 });
    const second = createTracker(options);
    await second.flush();
    delivered = first.stats().delivered + second.stats().delivered;
    expect(first.stats().deadLettered + second.stats().deadLettered).toBe(1);
    await second.close();
  });
  expect(delivered).toBe(1_999);
  expect(new Set(uuids).size).toBe(1_999);
  await rm(directory, { recursive: true });
});

it('the emulator takes what a destination says word for word', async () => {
  const apiKey = 'key-of-mine';
  const emulator = await startEmulator({ apiKey, primaryKey: 'email' });
  const tracker = createTracker({
    ...{ baseUrl: emulator.baseUrl, correlationKey: 'email', journal: 'memory', logger: false },
    destination: {
      ...{ path: '/api/events/batch/', head: '{ "batch": [\n', separator: ',\n', tail: '\n] }' },
      headers: { Authorization: `Api-Key ${apiKey}` },
      event: (event) => ({ ...event, source: 'mobile' }),
    },
  });
  tracker.track('purchase', { total: 1 }, { correlationValue: 'ada@example.com' });
  tracker.track('purchase', { total: 2 }, { correlationValue: 'ada@example.com' });
  expect(await tracker.close()).toMatchObject({ delivered: 2, pending: 0 });
  await emulator.close();
});
