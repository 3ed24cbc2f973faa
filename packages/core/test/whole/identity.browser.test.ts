import { afterEach, describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';
import { createTracker, type Tracker, type TrackerOptions } from '../../src/index.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

const trackers: Tracker[] = [];
let baseUrl = '';
/** The customers of the events that the service took. */
let customers: string[] = [];
let uuids = new Set<string>();
let isDown = false;

afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  baseUrl = '';
  customers = [];
  uuids = new Set();
  isDown = false;
});

/** The trackers of one test share what they store, like pages that follow each other. */
function create(options: Partial<TrackerOptions> = {}): Tracker {
  baseUrl ||= `https://service.example/${uuid()}`;
  const post: NonNullable<TrackerOptions['transport']>['post'] = async ({ body }) => {
    if (isDown) return failed(false);
    for (const event of JSON.parse(new TextDecoder().decode(body)).batch) {
      customers.push(event.correlationValue);
      uuids.add(event.uuid);
    }
    return answered(200);
  };
  const transport = { post, close: async () => {} };
  const tracker = createTracker({ baseUrl, correlationKey: 'email', transport, ...options });
  trackers.push(tracker);
  return tracker;
}

describe('a page before sign-in', () => {
  it('leaves what it held to the next one, which delivers it once the customer is there', async () => {
    const first = create();
    for (let number = 0; number < 300; number += 1) first.track('viewed', { number });
    await first.durable();
    expect(first.stats()).toMatchObject({ accepted: 300, held: 300, unwritten: 0 });
    await first.close();
    const second = create();
    second.track('viewed', { number: 300 });
    second.identify('ada@example.com');
    await expect.poll(() => second.stats().delivered).toBe(301);
    expect(second.stats()).toMatchObject({ accepted: 1, recovered: 300, held: 0, pending: 0 });
    expect(customers).toEqual(Array.from({ length: 301 }, () => 'ada@example.com'));
    expect(uuids.size).toBe(301);
  });

  it('leaves nothing of a customer who signed out to the next one', async () => {
    const first = create();
    first.track('viewed');
    await first.durable();
    first.reset();
    first.track('viewed');
    await first.durable();
    await first.close();
    const second = create();
    second.identify('bob@example.com');
    await expect.poll(() => second.stats().delivered).toBe(1);
    expect(customers).toEqual(['bob@example.com']);
  });

  it.each([
    ['ada@example.com', 'bob@example.com'],
    // Their 44-bit hash is the same, whatever comes before them.
    ['njpapdit@example.com', 'mpauakwt@example.com'],
  ])(
    'gives nothing that was tracked in the session of %s to %s, though nobody signed out',
    async (one, other) => {
      const first = create();
      first.identify(one);
      await first.durable();
      await first.close();
      const second = create();
      second.track('viewed');
      await second.durable();
      await second.close();
      const third = create();
      third.identify(other);
      await expect.poll(() => third.stats().dropped.unidentified).toBe(1);
      expect(third.stats()).toMatchObject({ recovered: 1, delivered: 0, pending: 0 });
    },
  );

  it('stores nothing while consent is pending, and nothing is left of what was stored once it is denied', async () => {
    isDown = true;
    const first = create();
    first.track('viewed');
    first.track('viewed', {}, { correlationValue: 'ada@example.com' });
    await first.durable();
    await first.close({ timeoutMs: 0 });
    const second = create({ consent: 'pending' });
    second.track('viewed');
    await expect(second.durable()).rejects.toThrow('consent is pending');
    await expect.poll(() => second.stats().recovered).toBeGreaterThan(0);
    second.setConsent('denied');
    await expect.poll(() => second.stats().dropped.denied).toBe(3);
    expect(second.stats().pending).toBe(0);
    await second.close({ timeoutMs: 0 });
    const third = create();
    third.identify('ada@example.com');
    await third.durable();
    expect(third.stats()).toMatchObject({ recovered: 0, pending: 0 });
  });

  it('shares what it holds with the other tabs: the one in which the customer signs in delivers it, once', async () => {
    const [first, second] = [create(), create()];
    for (let number = 0; number < 300; number += 1) first.track('viewed', { number });
    await first.durable();
    second.identify('ada@example.com');
    await expect.poll(() => customers.length).toBe(300);
    await expect.poll(() => first.stats().held).toBe(0);
    first.identify('ada@example.com');
    await first.durable();
    await first.flush();
    await second.flush();
    expect(uuids.size).toBe(300);
    expect(customers).toEqual(Array.from({ length: 300 }, () => 'ada@example.com'));
    for (const tracker of [first, second]) expectBalance(tracker);
  });

  it('gives nothing to a customer who signs in after reset() in another tab, but what was tracked after it', async () => {
    const [first, second] = [create(), create()];
    first.track('viewed');
    await first.durable();
    second.reset();
    await second.durable();
    await expect.poll(() => first.stats().dropped.unidentified).toBe(1);
    first.track('viewed');
    first.identify('bob@example.com');
    await expect.poll(() => customers).toEqual(['bob@example.com']);
    for (const tracker of [first, second]) expectBalance(tracker);
  });
});

/** Checks that accepted + recovered = delivered + deadLettered + dropped + pending. */
function expectBalance(tracker: Tracker): void {
  const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
  const lost = Object.values(dropped).reduce((total, count) => total + count, 0);
  expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
}
