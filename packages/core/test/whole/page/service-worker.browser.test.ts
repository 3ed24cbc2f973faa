import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, inject, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker as createTestTracker } from '../../../src/entries/testing/testing.ts';
import { type Clock, createTracker, type TrackerOptions, type Transport } from '../../../src/index.ts';
import { type DrainOptions, drain, drainOnSync } from '../../../src/page/service-worker.ts';
import { destination } from '../../../src/parts/destination.ts';
import { answered } from '../../bench/scripted-transport.ts';

const { apiUrl, apiKey, ...emulator } = inject('emulator');
/** Another host name, so that only these tests send from the journal. */
const baseUrl = `${emulator.baseUrl.replace('127.0.0.1', 'localhost')}/`;
const decoder = new TextDecoder();
const ada = { correlationValue: 'ada@example.com' };

/** A page that tracks this many events, stores each hundred by itself, and is gone before it sends any. */
async function leave(options: TrackerOptions, name: string, count: number, together = 100): Promise<void> {
  // On a busy machine, the tracker may begin a request, but nothing arrives.
  const transport = { post: () => new Promise<never>(() => {}), close: async () => {} };
  const page = createTracker({ ...options, transport, batch: { maxWaitMs: 60_000, maxEvents: 10_000 } });
  for (let number = 0; number < count; number += 1) {
    page.track(name, { number }, ada);
    if ((number + 1) % together === 0) await page.durable();
  }
  await page.durable();
  await page.close({ timeoutMs: 0 });
}

/** Tries again after a rejection, as the browser does. It rejects if the storage of a busy browser takes too long. */
async function wake(options: DrainOptions): Promise<void> {
  await vi.waitFor(() => drain(options), PATIENCE);
}

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

/** These tests run in a page. A row of `npm run faults` tests a worker on a sync event, with no page open. */
describe('what a service worker does', () => {
  it('sends what pages left, each event once', async () => {
    const options = { baseUrl, apiKey, correlationKey: 'email' };
    const name = `drained-${uuid()}`;
    await leave(options, name, 250);
    await Promise.all([wake(options), wake(options)]);
    expect(await count(name)).toEqual({ unique: 250, received: 250 });
  });

  it('sends many small records in few requests', async () => {
    const options = { baseUrl, apiKey, correlationKey: 'email' };
    const name = `small-${uuid()}`;
    await leave(options, name, 300, 3);
    const { fetch } = globalThis;
    const sending = vi.spyOn(globalThis, 'fetch').mockImplementation(fetch);
    await wake(options);
    expect(sending.mock.calls.length).toBe(1);
    sending.mockRestore();
    expect(await count(name)).toEqual({ unique: 300, received: 300 });
  });

  it('sends the headers that it is given', async () => {
    const options = { baseUrl, correlationKey: 'email' };
    const name = `with-headers-${uuid()}`;
    await leave(options, name, 100);
    await wake({ ...options, headers: { authorization: `Api-Key ${apiKey}` } });
    expect(await count(name)).toEqual({ unique: 100, received: 100 });
  });

  it('sends to the destination of the trackers', async () => {
    const path = '/api/events/batch/?from=worker';
    const options = {
      baseUrl,
      apiKey,
      correlationKey: 'email',
      parts: { destination },
      destination: { path },
    };
    const name = `to-destination-${uuid()}`;
    await leave(options, name, 100);
    await wake({ ...options, parts: { destination } });
    expect(await count(name)).toEqual({ unique: 100, received: 100 });
    await expect(drain({ ...options, parts: undefined })).rejects.toThrow('@sluice/core/destination');
  });

  it('needs a part for a relay, and says which', async () => {
    const options = { relay: '/s', correlationKey: 'email' };
    await expect(drain(options)).rejects.toThrow('@sluice/core/relay-drain');
    expect(() => drainOnSync(options)).toThrow('@sluice/core/relay-drain');
  });

  /** A page with another time of day that tracks events, of which the last has this answer, and all before it a good one. */
  async function leaveWith(
    options: TrackerOptions,
    last: () => ReturnType<Transport['post']>,
    count: number,
    skewMs = 0,
  ) {
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs };
    let requests = 0;
    const post = () => {
      requests += 1;
      return requests < count ? Promise.resolve(answered(200)) : last();
    };
    const transport = { post, close: async () => {} };
    const page = createTestTracker({ ...options, clock, transport, batch: { maxWaitMs: 0 } });
    for (let number = 0; number < count; number += 1) {
      page.track('left', { number }, ada);
      await page.durable();
      await expect.poll(() => requests).toBeGreaterThan(number);
      if (number < count - 1) await page.flush();
    }
    return page;
  }

  it('has the browser try again where a page that was hidden a moment ago may still see an answer', async () => {
    const options = { baseUrl, apiKey, correlationKey: `held-${uuid()}` };
    const page = await leaveWith(options, () => new Promise<never>(() => {}), 1);
    await page.close({ timeoutMs: 0 });
    await expect(drain(options)).rejects.toThrow('may still see');
  });

  it('does not send again, if events are to come once, what a page sent last that had an answer before', async () => {
    const options = { baseUrl, apiKey, correlationKey: `once-${uuid()}` };
    const page = await leaveWith(options, () => new Promise<never>(() => {}), 2, -40_000);
    await page.close({ timeoutMs: 0 });
    await wake({ ...options, leaving: 'once' });
    const next = createTracker({ ...options, journal: undefined });
    await next.flush();
    expect(next.stats().recovered).toBe(0);
    await next.close({ timeoutMs: 0 });
  });

  it('respects a pause for no longer than it was, though the clock was set back since', async () => {
    const options = { baseUrl, apiKey, correlationKey: `paused-${uuid()}` };
    const page = await leaveWith(options, async () => answered(503, { retryAfter: '1' }), 1, 3_600_000);
    await expect.poll(() => page.stats().pause?.reason).toBe('asked');
    await page.durable();
    await page.close({ timeoutMs: 0 });
    await expect(drain(options)).rejects.toThrow('requests are paused');
    await wake(options);
  });

  it.each([400, 409, 413, 422])(
    'leaves to a page what the service answers with %i, and sends the rest',
    async (status) => {
      const options = { baseUrl, apiKey, correlationKey: 'email' };
      const name = `refused-${status}-${uuid()}`;
      await leave(options, name, 150);
      const { fetch } = globalThis;
      const isFirst = (body: unknown) =>
        body instanceof Uint8Array && decoder.decode(body).includes('"number":0}');
      const refusing = vi
        .spyOn(globalThis, 'fetch')
        .mockImplementation(async (input, init) =>
          isFirst(init?.body) ? new Response('', { status }) : fetch(input, init),
        );
      await wake(options);
      refusing.mockRestore();
      expect(await count(name)).toEqual({ unique: 50, received: 50 });
      // Not `await using`: WebKit cannot parse it.
      const page = createTracker(options);
      await page.flush();
      expect(await count(name)).toEqual({ unique: 150, received: 150 });
      await page.close({ timeoutMs: 0 });
    },
  );

  it('leaves everything where it is while the service cannot be reached, and has the browser try again', async () => {
    const options = { baseUrl: 'http://127.0.0.1:1', correlationKey: `down-${uuid()}` };
    await leave(options, 'left', 30);
    await expect(drain(options)).rejects.toThrow();
    const next = createTracker(options);
    await new Promise((resolve) => next.on('recovered', resolve));
    expect(next.stats()).toMatchObject({ recovered: 30, pending: 30 });
    await next.close({ timeoutMs: 0 });
  });
});
