import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { startEmulator } from '@sluice/emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTracker, type Tracker } from '../../../src/index.ts';

const ada = { correlationValue: 'ada@example.com' };
const EVENTS = 5_000;

async function deliver(baseUrl: string, apiKey = 'key'): Promise<Tracker> {
  const tracker = createTracker({
    ...{ baseUrl, apiKey, correlationKey: 'email', journal: 'memory', compress: true },
    delivery: { retryBaseMs: 1, retryMaxMs: 10 },
  });
  onTestFinished(async () => {
    await tracker.close({ timeoutMs: 0 });
  });
  for (let number = 0; number < EVENTS; number += 1) {
    tracker.track('compressed', { number, note: 'ä€😀' }, ada);
  }
  expect(await tracker.flush()).toEqual({ delivered: EVENTS, deadLettered: 0, dropped: 0, pending: 0 });
  return tracker;
}

/** A server that takes plain bodies, and treats gzipped ones as `refuse` says. */
async function serve(refuse: (end: End) => void): Promise<Seen> {
  const seen: Seen = { baseUrl: '', plain: 0, gzipped: 0, numbers: new Set() };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.headers['content-encoding'] === 'gzip') {
      seen.gzipped += 1;
      gunzipSync(Buffer.concat(chunks));
      refuse({
        status: (status) => void response.writeHead(status).end('cannot parse this'),
        reset: () => request.socket.resetAndDestroy(),
      });
      return;
    }
    seen.plain += 1;
    for (const event of JSON.parse(Buffer.concat(chunks).toString()).batch)
      seen.numbers.add(event.payload.number);
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  seen.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return seen;
}

interface Seen {
  baseUrl: string;
  plain: number;
  gzipped: number;
  readonly numbers: Set<number>;
}

interface End {
  status(status: number): void;
  reset(): void;
}

describe('gzipped batches', () => {
  it('reach a service that takes them, in a fraction of the bytes', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', behaviour: { compression: true } });
    const tracker = await deliver(emulator.baseUrl, emulator.apiKey);
    expect(await emulator.countEvents()).toEqual({ unique: EVENTS, received: EVENTS });
    const { bytes, failed } = tracker.stats().requests;
    expect(failed).toBe(0);
    // An event has about 190 bytes, including its UUID.
    expect(bytes).toBeLessThan(EVENTS * 60);
  });

  it('are sent plain to one that answers 415, none of them twice', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const tracker = await deliver(emulator.baseUrl, emulator.apiKey);
    expect(await emulator.countEvents()).toEqual({ unique: EVENTS, received: EVENTS });
    // The requests that were pending at the same time.
    expect(tracker.stats().requests.failed).toBeLessThanOrEqual(4);
  });

  it.each<[string, (end: End) => void]>([
    ['answers 400', ({ status }) => status(400)],
    ['answers 422', ({ status }) => status(422)],
    ['answers 413', ({ status }) => status(413)],
    ['answers 500', ({ status }) => status(500)],
    ['resets the connection', ({ reset }) => reset()],
  ])('are sent plain to one that knows no gzip and %s: no event is blamed', async (_, refuse) => {
    const service = await serve(refuse);
    await deliver(service.baseUrl);
    expect(service.numbers.size).toBe(EVENTS);
    expect(service.gzipped).toBeLessThan(15);
    // With halved batches there would be more.
    expect(service.plain).toBeLessThan(15);
  });
});
