import { afterEach, expect, it, vi } from 'vitest';
import { createTracker } from '../../src/index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a disabled tracker does nothing, and checks none of its other options', async () => {
  const before = process.listenerCount('exit');
  const tracker = createTracker({ enabled: false, baseUrl: '', correlationKey: '' });
  tracker.identify('ada@example.com');
  tracker.track('purchase', { total: 1n } as object);
  tracker.for('bob@example.com').track('purchase');
  tracker.setConsent('denied');
  await tracker.durable();
  expect(await tracker.flush()).toMatchObject({ delivered: 0, dropped: 0, pending: 0 });
  expect(tracker.stats()).toMatchObject({ accepted: 0, invalid: 0, pending: 0 });
  expect(await tracker.deadLetters.count()).toBe(0);
  expect(process.listenerCount('exit')).toBe(before);
  await tracker.close();
});

it('a server that identifies a second customer while events of the first wait is told once of tracker.for()', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  // A process is told once: another test may have been.
  vi.resetModules();
  const { Bench } = await import('../bench/bench.ts');
  const { tracker } = new Bench({ logger: undefined, unidentified: { hold: false } });
  tracker.identify('ada@example.com');
  tracker.identify('bob@example.com');
  expect(warn).not.toHaveBeenCalled();
  for (const name of ['ada', 'bob', 'cyd']) {
    tracker.identify(`${name}@example.com`);
    tracker.track('step');
  }
  expect(warn.mock.calls).toEqual([[expect.stringContaining('tracker.for(customer).track()')]]);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('full'))],
])('a logger that %s when it is to warn of a second customer changes no customer', async (_, warn) => {
  vi.resetModules();
  const { Bench } = await import('../bench/bench.ts');
  const silent = () => {};
  const logger = { debug: silent, info: silent, error: silent, warn };
  const bench = new Bench({ logger, unidentified: { hold: false } });
  for (const name of ['ada', 'bob']) {
    bench.tracker.identify(`${name}@example.com`);
    bench.tracker.track('step');
  }
  await bench.pass(5);
  const customers = bench.transport.requests.flatMap(
    ({ events }) => events as { correlationValue: string }[],
  );
  expect(customers.map(({ correlationValue }) => correlationValue)).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
  expect(bench.callbacksFailed).toMatchObject([{ callback: 'logger', error: { message: 'full' } }]);
});
