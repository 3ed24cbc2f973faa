import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker, type TestOptions } from '../../../src/entries/testing/testing.ts';
import type { Clock, Tracker, Transport } from '../../../src/index.ts';
import { destination } from '../../../src/parts/destination.ts';

const { baseUrl, apiUrl, apiKey } = inject('emulator');
const ada = { correlationValue: 'ada@example.com' };
/** Nobody listens at this address. */
const nowhere = 'http://127.0.0.1:1';

const trackers: Tracker[] = [];

afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Makes a tracker with the emulator's key. It is closed after the test. */
function create(url: string, options: Partial<TestOptions> = {}): Tracker {
  const tracker = createTracker({ baseUrl: url, apiKey, correlationKey: 'email', ...options });
  trackers.push(tracker);
  return tracker;
}

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

describe('a tracker in a browser', () => {
  it('delivers to a destination of its own, in the form that it wants', async () => {
    const name = `destination-${uuid()}`;
    const tracker = create(baseUrl, {
      parts: { destination },
      destination: {
        ...{ path: '/api/events/batch/?from=page', head: '{ "batch" : [', separator: ' ,\n', tail: '] }' },
        headers: (key) => ({ Authorization: `Api-Key ${key}` }),
        event: (event) => ({ ...event, source: 'mobile' }),
      },
    });
    for (let number = 0; number < 1_000; number += 1) tracker.track(name, { number }, ada);
    expect(await tracker.flush()).toMatchObject({ pending: 0 });
    expect(await count(name)).toEqual({ unique: 1_000, received: 1_000 });
  });

  it('delivers what is tracked, over another origin', async () => {
    const name = `page-${uuid()}`;
    const tracker = create(baseUrl);
    for (let number = 0; number < 1_000; number += 1) tracker.track(name, { number }, ada);
    // This also delivers what other pages of this origin left.
    expect(await tracker.flush()).toMatchObject({ pending: 0 });
    expect(tracker.stats().journal).toBe('indexeddb');
    expect(await count(name)).toEqual({ unique: 1_000, received: 1_000 });
  });

  it('delivers where nothing may be stored: Firefox then refuses databases, and a BroadcastChannel too', async () => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    vi.stubGlobal('BroadcastChannel', vi.fn(refuse));
    vi.spyOn(indexedDB, 'open').mockImplementation(refuse);
    const name = `insecure-${uuid()}`;
    const tracker = create(baseUrl, { account: name });
    tracker.track(name, {}, ada);
    tracker.identify('ada@example.com');
    tracker.track(name);
    expect(await tracker.flush()).toMatchObject({ delivered: 2, pending: 0 });
    expect(await count(name)).toEqual({ unique: 2, received: 2 });
  });

  it('has no timer left once nothing waits', async () => {
    const timers = new Set<object>();
    const clock: Clock = {
      now: () => systemClock.now(),
      setTimeout(callback, delayMs) {
        const entry = {};
        timers.add(entry);
        const timer = systemClock.setTimeout(() => {
          timers.delete(entry);
          callback();
        }, delayMs);
        return {
          cancel: () => {
            timers.delete(entry);
            timer.cancel();
          },
        };
      },
    };
    const tracker = create(baseUrl, { clock });
    for (let number = 0; number < 1_000; number += 1) tracker.track(`idle-${uuid()}`, {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1_000, pending: 0 });
    await expect.poll(() => timers.size).toBe(0);
  });

  it('tries with less once the browser says that there is no network, and delivers where there is one', async () => {
    const name = `page-${uuid()}`;
    const tracker = create(baseUrl);
    dispatchEvent(new Event('offline'));
    expect(tracker.stats().breaker).toBe('half-open');
    tracker.track(name, {}, ada);
    expect(await tracker.flush()).toMatchObject({ pending: 0 });
    expect(tracker.stats().breaker).toBe('closed');
    expect(await count(name)).toEqual({ unique: 1, received: 1 });
  });

  it('finds in IndexedDB what a page before it could not deliver', async () => {
    const name = `left-${uuid()}`;
    // No request is pending when it is closed, so it leases nothing.
    const transport: Transport = {
      post: async () => ({ kind: 'failed', cause: 'nobody is there', maybeSent: false }),
      close: async () => {},
    };
    const first = create(nowhere, { transport });
    for (let number = 0; number < 300; number += 1) first.track(name, { number }, ada);
    expect(await first.close({ timeoutMs: 50 })).toMatchObject({ delivered: 0, pending: 300 });
    const second = create(nowhere);
    await new Promise((resolve) => second.on('recovered', resolve));
    expect(second.stats()).toMatchObject({ accepted: 0, recovered: 300, pending: 300 });
  });

  it('sends bodies as they are where the service takes none that are gzipped', async () => {
    const name = `plain-${uuid()}`;
    const tracker = create(baseUrl, { journal: 'memory', compress: true });
    for (let number = 0; number < 1_000; number += 1) tracker.track(name, { number }, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1_000, deadLettered: 0 });
    expect(tracker.stats().requests.failed).toBeGreaterThan(0);
    expect(await count(name)).toEqual({ unique: 1_000, received: 1_000 });
  });

  it('goes on in memory where it is asked to', async () => {
    const name = `memory-${uuid()}`;
    const tracker = create(baseUrl, { journal: 'memory' });
    tracker.track(name, {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    expect(await count(name)).toEqual({ unique: 1, received: 1 });
  });
});
