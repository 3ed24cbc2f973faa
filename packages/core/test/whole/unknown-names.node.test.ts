import { expect, it } from 'vitest';
import { ConfigError, createTracker } from '../../src/index.ts';
import { Bench } from '../bench/bench.ts';

it.each([['deliverd', 'did you mean delivered?']])(
  'on() refuses the event %s, which does not exist: %s',
  (event, hint) => {
    const { tracker } = new Bench();
    expect(() => tracker.on(event as never, () => {})).toThrow(`on() knows no "${event}"; ${hint}`);
  },
);

it.each<[unknown, string]>([
  [{ timeout: 5 }, '() knows no "timeout"; did you mean timeoutMs?'],
  [{ time: 5 }, '() knows no "time"; did you mean timeoutMs?'],
  [{ deadline: 5 }, '() knows no such name; there are timeoutMs, signal'],
  [{ timeoutMs: '5' }, '() must be a number of milliseconds, got a string'],
  [{ timeoutMs: Number.NaN }, '() must be a number of milliseconds, got number NaN'],
  [{ signal: new AbortController() }, '() must be an AbortSignal, got an object'],
  [5_000, '() must be called with an object of options, got number 5000'],
])('flush() and close() refuse %j', async (options, message) => {
  const { tracker } = new Bench();
  for (const method of ['flush', 'close'] as const)
    await expect(tracker[method](options as object)).rejects.toThrow(`${method}${message}`);
});

it('on() names all events if none is like the one that it got', () => {
  const { tracker } = new Bench();
  expect(() => tracker.on('finished' as never, () => {})).toThrow(
    'on() knows no such name; there are delivered, dropped, ',
  );
});

it('no method shows a key that it got in the place of another value', async () => {
  const apiKey = 'canary-5f2d';
  const { tracker } = new Bench({ apiKey });
  const given = apiKey as never;
  const calls = [
    async () => tracker.on(given, () => {}),
    async () => tracker.setConsent(given),
    () => tracker.flush(given),
    () => tracker.flush({ [apiKey]: 1 } as never),
    () => tracker.close({ timeoutMs: given }),
    () => tracker.close({ signal: given }),
    () => tracker.deadLetters.purge(given),
  ];
  for (const call of calls) {
    const error = await call().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toContain('canary');
  }
});

it('close() with a wrong option closes nothing', async () => {
  const bench = new Bench();
  await expect(bench.tracker.close({ time: 1 } as object)).rejects.toThrow('close() knows no "time"');
  await bench.track(1);
  await bench.tracker.close({ timeoutMs: undefined });
  expect(bench.tracker.stats()).toMatchObject({ delivered: 1, pending: 0 });
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
  expect(() => createTracker(options)).toThrow('parts.gzipp is not an option; did you mean parts.gzip?');
});
