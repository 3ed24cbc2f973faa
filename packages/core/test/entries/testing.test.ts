import { expect, it } from 'vitest';
import {
  createTracker,
  faultyTransport,
  recordingTracker,
  trackerMatchers,
  VirtualClock,
} from '../../src/entries/testing/testing.ts';

it('a recording tracker shows events as the service would receive them, at once and without a disk', () => {
  const tracker = recordingTracker({ correlationKey: 'email', context: { app: 'shop' } });
  tracker.for('ada@example.com').track('purchase', { total: 42.5 });
  tracker.track('view', {}, { correlationValue: 'bob@example.com' });
  expect(tracker.events()).toHaveLength(2);
  expect(tracker.events('purchase')).toEqual([
    {
      event: 'purchase',
      correlationKey: 'email',
      correlationValue: 'ada@example.com',
      source: 'custom',
      timestamp: expect.any(String),
      uuid: expect.any(String),
      payload: { app: 'shop', total: 42.5 },
    },
  ]);
  tracker.clear();
  expect(tracker.events()).toEqual([]);
});

it('a recording tracker refuses what a real one refuses', () => {
  const tracker = recordingTracker({ unidentified: { hold: false } });
  tracker.track('purchase', { total: 1n } as object, { correlationValue: 'a' });
  tracker.track('purchase');
  expect(tracker.problems().map(({ field }) => field)).toEqual(['payload.total', 'correlationValue']);
  expect(tracker.events()).toEqual([]);
});

it('a recording tracker takes the options of a real one, and keeps and sends nothing where they say', async () => {
  const dispatch = () => expect.unreachable('something was sent');
  const tracker = recordingTracker({
    correlationKey: 'email',
    journal: undefined,
    journalDirectory: '/proc/nowhere',
    delivery: {
      connect: { servername: 'proxy.example' },
      dispatcher: { dispatch },
      headers: { 'x-shop': 'a' },
    },
    relay: '/s',
  });
  tracker.for('ada@example.com').track('purchase');
  await tracker.flush();
  expect(tracker.events('purchase')).toMatchObject([{ correlationKey: 'email' }]);
  expect(tracker.stats()).toMatchObject({ journal: 'memory', delivered: 1 });
  await tracker.close();
  expect(() => recordingTracker({ delivery: { headers: { 'content-type': 'text/plain' } } })).toThrow(
    'delivery.headers',
  );
});

it('waitFor resolves with an event that is tracked later, or was before', async () => {
  const tracker = recordingTracker();
  tracker.identify('ada@example.com');
  const purchase = tracker.waitFor('purchase');
  const large = tracker.waitFor(({ payload }) => Number(payload?.total) > 10);
  tracker.track('purchase', { total: 1 });
  tracker.track('purchase', { total: 11 });
  expect((await purchase).payload).toEqual({ total: 1 });
  expect((await large).payload).toEqual({ total: 11 });
  expect((await tracker.waitFor('purchase')).payload).toEqual({ total: 1 });
});

it('waitFor rejects with the names of what was tracked', async () => {
  const tracker = recordingTracker();
  await expect(tracker.waitFor('purchase', { timeoutMs: 1 })).rejects.toThrow(
    '"purchase" was not tracked within 1 ms; tracked: nothing',
  );
  tracker.track('view', {}, { correlationValue: 'ada@example.com' });
  await expect(tracker.waitFor('purchase', { timeoutMs: 1 })).rejects.toThrow(/tracked: view$/);
});

it('everything that is tracked counts as delivered, and the tracker closes', async () => {
  const tracker = recordingTracker();
  tracker.track('view', {}, { correlationValue: 'ada@example.com' });
  expect(await tracker.close()).toMatchObject({ delivered: 1, pending: 0 });
});

it('toHaveTracked compares name and payload, and says what was tracked instead', () => {
  const tracker = recordingTracker();
  tracker.track('purchase', { total: 1, sku: 'A' }, { correlationValue: 'ada@example.com' });
  const equals = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const { toHaveTracked } = trackerMatchers;
  expect(toHaveTracked.call({ equals }, tracker, 'purchase').pass).toBe(true);
  expect(toHaveTracked.call({ equals }, tracker, 'purchase', { total: 1, sku: 'A' }).pass).toBe(true);
  const other = toHaveTracked.call({ equals }, tracker, 'purchase', { total: 2 });
  expect([other.pass, other.message()]).toEqual([
    false,
    '"purchase" was not tracked with this payload; its payloads: [{"total":1,"sku":"A"}]',
  ]);
  expect(toHaveTracked.call({ equals }, tracker, 'view').message()).toBe(
    '"view" was not tracked; tracked: purchase',
  );
});

it('toHaveTracked says what it needs, if it is given something else', () => {
  const { toHaveTracked } = trackerMatchers;
  expect(() => toHaveTracked.call({ equals: Object.is }, JSON.parse('{}'), 'purchase')).toThrow(
    'toHaveTracked() compares a recordingTracker(): give one to expect()',
  );
});

it('a faulty transport and a virtual clock show how an application lives through an outage', async () => {
  const clock = new VirtualClock();
  const transport = faultyTransport((_events, count) => (count < 3 ? new Error('no network') : 200));
  const options = {
    baseUrl: 'http://service.example',
    correlationKey: 'email',
    journal: 'memory',
    logger: false,
  } as const;
  const tracker = createTracker({ ...options, clock, transport });
  tracker.track('purchase', { total: 1 }, { correlationValue: 'ada@example.com' });
  await clock.advance(600_000);
  expect(tracker.stats()).toMatchObject({ delivered: 1, pending: 0, requests: { failed: 3 } });
  expect(transport.requests.map((events) => events.map(({ event }) => event))).toEqual(
    Array(4).fill(['purchase']),
  );
});

it('recordingTracker() has no event that is dropped at once', async () => {
  const tracker = recordingTracker({ consent: 'denied' });
  tracker.identify('ada@example.com');
  tracker.track('denied');
  tracker.setConsent('pending');
  tracker.track('waits');
  tracker.setConsent('denied');
  tracker.setConsent('granted');
  tracker.track('granted');
  await tracker.close();
  tracker.track('late');
  expect(tracker.events().map(({ event }) => event)).toEqual(['waits', 'granted']);
});

it('waitFor rejects with what its match throws, and others go on', async () => {
  const tracker = recordingTracker();
  tracker.identify('ada@example.com');
  const wrong = tracker.waitFor(({ payload }) => (payload as { total: number }).total > 10);
  const right = tracker.waitFor('purchase');
  tracker.track('page_view');
  tracker.track('purchase', { total: 42 });
  await expect(wrong).rejects.toThrow('total');
  expect(await right).toMatchObject({ event: 'purchase' });
});

it('faultyTransport() reads what is compressed', async () => {
  const options = {
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'key',
    correlationKey: 'email',
    journal: 'memory',
  } as const;
  const transport = faultyTransport(() => 200);
  const tracker = createTracker({ ...options, transport, compress: true });
  for (let count = 0; count < 100; count += 1) tracker.track('e', {}, { correlationValue: 'ada' });
  await tracker.flush();
  expect([transport.requests.flat().length, tracker.stats().requests.failed]).toEqual([100, 0]);
  await tracker.close();
});
