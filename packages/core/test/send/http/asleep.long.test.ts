import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTracker, type Transport } from '../../../src/index.ts';
import { FetchTransport } from '../../../src/send/http/fetch-transport.ts';
import { UndiciTransport } from '../../../src/send/http/undici-transport.ts';

/** A service in a thread of its own: it answers while this thread does nothing. `state`: requests that came, and answers. */
const SERVICE = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const add = (index) => { Atomics.add(workerData, index, 1); Atomics.notify(workerData, index); };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      add(0);
      setTimeout(() => response.end('{}', () => add(1)), 20);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
/** Long enough for a slow machine to make the request in. */
const TIMEOUT_MS = 1_000;

describe('an answer that came while the process slept for longer than a time-out', () => {
  const state = new Int32Array(new SharedArrayBuffer(8));
  let worker: Worker;
  let port = 0;
  beforeAll(async () => {
    worker = new Worker(SERVICE, { eval: true, workerData: state });
    [port] = await once(worker, 'message');
  });
  afterAll(() => worker.terminate());

  const transports: [string, () => Transport][] = [
    ['undici', () => new UndiciTransport()],
    ['fetch', () => new FetchTransport()],
  ];
  it.each(transports)('counts, so that nothing is sent twice: %s', async (_, create) => {
    state.fill(0);
    const tracker = createTracker({
      ...{ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', correlationKey: 'email', journal: 'memory' },
      transport: create(),
      advanced: { headersTimeoutMs: TIMEOUT_MS },
    });
    for (let n = 0; n < 5; n += 1) tracker.track('event', { n }, { correlationValue: 'ada@example.com' });
    const flushed = tracker.flush();
    while (Atomics.load(state, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
    // This thread stops until the answer is in its socket, and the time-out is over.
    while (Atomics.load(state, 1) === 0) Atomics.wait(state, 1, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.2 * TIMEOUT_MS);
    expect(await flushed).toMatchObject({ delivered: 5, pending: 0 });
    const { maybeDuplicate, requests } = tracker.stats();
    expect({ maybeDuplicate, ...requests }).toMatchObject({ maybeDuplicate: 0, sent: 1, failed: 0 });
    expect(Atomics.load(state, 0)).toBe(1);
    await tracker.close();
  });
});
