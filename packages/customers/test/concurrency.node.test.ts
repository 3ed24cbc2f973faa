import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { bodyOf, connectionsOf, httpService, readerOf, type Service } from './node-service.ts';
import { json, rejection, scripted } from './scripted-fetch.ts';

/** A service that answers when the test says so. */
async function patientService(): Promise<{
  service: Service;
  requests: { readonly key: string; readonly response: ServerResponse }[];
  keys: () => string[];
}> {
  const requests: { key: string; response: ServerResponse }[] = [];
  const service = await httpService(async (request, response) => {
    requests.push({ key: JSON.parse(await bodyOf(request)).primary_key, response });
  });
  return { service, requests, keys: () => requests.map(({ key }) => key) };
}

describe('many reads at once', () => {
  it('open no more connections than 32 by default', async () => {
    expect(await connectionsOf(60, undefined)).toBe(32);
  });

  it('open no more connections than the option concurrency', async () => {
    expect(await connectionsOf(60, 3)).toBe(3);
  });

  it('get their turn in the order in which they came', async () => {
    const { service, requests, keys } = await patientService();
    await using _ = service;
    const reader = readerOf(service, { concurrency: 1 });
    const order = ['a', 'b', 'c', 'd'];
    const reads = order.map((key) => reader.read(key));
    for (const [index, read] of reads.entries()) {
      await expect.poll(keys).toEqual(order.slice(0, index + 1));
      requests[index]?.response.end('{}');
      expect(await read).toEqual({});
    }
  });
});

it('more reads than connections end while a test has replaced setImmediate', async () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  onTestFinished(() => void vi.useRealTimers());
  const { reader } = scripted([() => json({})]);
  const reads = Array.from({ length: 100 }, (_, index) => reader.read(`${index}`));
  expect(await Promise.all(reads)).toHaveLength(100);
});

describe('a read that waits for its turn', () => {
  it('leaves at once when its signal aborts, and is never sent', async () => {
    const { service, requests, keys } = await patientService();
    await using _ = service;
    const reader = readerOf(service, { concurrency: 1 });
    const controller = new AbortController();
    const first = reader.read('a');
    const second = rejection(reader.read('b', { signal: controller.signal }));
    const third = reader.read('c');
    await expect.poll(keys).toEqual(['a']);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await second).toBe(reason);
    requests[0]?.response.end('{}');
    await first;
    await expect.poll(keys).toEqual(['a', 'c']);
    requests[1]?.response.end('{}');
    await third;
  });

  it('does not use up its time-out', async () => {
    const { service, requests, keys } = await patientService();
    await using _ = service;
    const clock = new VirtualClock();
    const reader = readerOf(service, { clock, concurrency: 1, timeoutMs: 5000, retries: 0 });
    const first = rejection(reader.read('a'));
    const second = reader.read('b');
    await expect.poll(keys).toEqual(['a']);
    clock.advance(4999);
    expect(keys()).toEqual(['a']);
    clock.advance(1);
    expect(String(await first)).toContain('timed out after 5000 ms');
    await expect.poll(keys).toEqual(['a', 'b']);
    clock.advance(4999);
    requests[1]?.response.end('{"b":1}');
    expect(await second).toEqual({ b: 1 });
  });

  it('gets the turn of one that was aborted, and of one that waits to try again', async () => {
    const { service, requests, keys } = await patientService();
    await using _ = service;
    const clock = new VirtualClock();
    const reader = readerOf(service, { clock, concurrency: 1 });
    const controller = new AbortController();
    const first = rejection(reader.read('a', { signal: controller.signal }));
    const second = reader.read('b');
    const third = reader.read('c');
    await expect.poll(keys).toEqual(['a']);
    controller.abort();
    expect(await first).toMatchObject({ name: 'AbortError' });
    await expect.poll(keys).toEqual(['a', 'b']);
    requests[1]?.response.writeHead(503, { 'retry-after': '60' }).end();
    await expect.poll(keys).toEqual(['a', 'b', 'c']);
    requests[2]?.response.end('{}');
    await third;
    clock.advance(72_000);
    await expect.poll(keys).toEqual(['a', 'b', 'c', 'b']);
    requests[3]?.response.end('{}');
    expect(await second).toEqual({});
  });
});
