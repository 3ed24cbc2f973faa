import { expect, it } from 'vitest';
import { createTracker } from '../../src/index.ts';
import { Bench } from '../bench/bench.ts';

it('on() refuses an event that does not exist, and names those that do', () => {
  const { tracker } = new Bench();
  expect(() => tracker.on('deliverd' as never, () => {})).toThrow(
    /^on\(\) knows no "deliverd"; there are delivered, dropped,/,
  );
});

it('flush() refuses an option that it does not have', async () => {
  const { tracker } = new Bench();
  const options = { timeout: 5 } as object;
  await expect(tracker.flush(options)).rejects.toThrow(
    'flush() knows no "timeout"; there are timeoutMs, signal',
  );
});

it('identify() with traits, as other trackers have them, is reported, and the customer is set', async () => {
  const bench = new Bench();
  const problems: string[] = [];
  bench.tracker.on('invalid', ({ error }) => problems.push(error.message));
  const identify = bench.tracker.identify as (...given: unknown[]) => void;
  identify('ada@example.com', { plan: 'pro' });
  bench.tracker.track('step');
  await bench.pass(5);
  expect(problems).toEqual([expect.stringMatching(/^identify\(\) takes the customer alone/)]);
  expect(bench.transport.requests[0]?.events).toMatchObject([{ correlationValue: 'ada@example.com' }]);
});

it('parts that do not exist are refused', () => {
  const options = { baseUrl: 'http://a.example', correlationKey: 'email', parts: { gzipp: 1 } } as never;
  expect(() => createTracker(options)).toThrow(/^parts\.gzipp is not an option; there are bounds,/);
});
