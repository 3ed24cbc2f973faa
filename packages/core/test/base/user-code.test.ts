import { describe, expect, it } from 'vitest';
import { createTracker, type TestOptions } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents, Transport } from '../../src/index.ts';
import { answered, ScriptedTransport } from '../bench/scripted-transport.ts';

const ada = { correlationValue: 'ada@example.com' };
const apiKey = 'canary/7f3a91-key';

interface Bench {
  readonly tracker: Tracker;
  readonly time: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly failures: TrackerEvents['callbackFailed'][];
}

function create(options: Partial<TestOptions>): Bench {
  const time = new VirtualClock();
  const transport = new ScriptedTransport(time);
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', apiKey, correlationKey: 'email', journal: 'memory' },
    ...{ clock: time, transport },
    ...options,
  });
  const failures: TrackerEvents['callbackFailed'][] = [];
  tracker.on('callbackFailed', (failure) => failures.push(failure));
  return { tracker, time, transport, failures };
}

/** Tracks, delivers, fails once, and delivers again. */
async function use({ tracker, transport, time }: Bench): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    if (round === 1) {
      transport.respond = () => {
        transport.respond = () => answered(200);
        return answered(500);
      };
    }
    for (let number = 0; number < 10; number += 1) tracker.track('event', { number }, ada);
    tracker.track('', {}, ada);
    const flushed = tracker.flush({ timeoutMs: 20_000 });
    await time.advance(20_000);
    await flushed;
  }
}

function fail(): never {
  throw new Error('code of mine');
}

const bad: [string, () => unknown][] = [
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('code of mine'))],
  ['never returns', () => new Promise(() => {})],
  ['returns nonsense', () => 'nonsense'],
];
const failsOnce = (how: string) => how === 'throws' || how === 'rejects';

describe('a listener', () => {
  it.each(bad)('that %s stops nothing, and is reported once if at all', async (how, listener) => {
    const bench = create({ random: () => 0.5 });
    const heard: number[] = [];
    bench.tracker.on('delivered', listener as () => void);
    bench.tracker.on('delivered', ({ count }) => heard.push(count));
    await use(bench);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 30, delivered: 30, pending: 0 });
    expect(heard.reduce((sum, count) => sum + count, 0)).toBe(30);
    const failure = { callback: 'listener of delivered', error: new Error('code of mine') };
    expect(bench.failures).toEqual(failsOnce(how) ? [failure] : []);
  });

  it('of failures that fails itself is reported once, to the others', async () => {
    const bench = create({ random: () => 0.5 });
    bench.tracker.on('callbackFailed', fail);
    bench.tracker.on('delivered', fail);
    await use(bench);
    expect(bench.failures.map(({ callback }) => callback)).toEqual([
      'listener of delivered',
      'listener of callbackFailed',
    ]);
  });
});

describe('a logger', () => {
  it.each(bad)('that %s stops nothing, and is reported once if at all', async (how, write) => {
    const logger = { debug: write, info: write, warn: write, error: write };
    const bench = create({ random: () => 0.5, logger: logger as never });
    await use(bench);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 30, delivered: 30, invalid: 3, pending: 0 });
    expect(bench.failures).toEqual(
      failsOnce(how) ? [{ callback: 'logger', error: new Error('code of mine') }] : [],
    );
  });

  it('is written a line at once where much is dropped, not one for each event', async () => {
    const lines: [object, string][] = [];
    const write = (data: object, message: string) => void lines.push([data, message]);
    const logger = { debug: write, info: write, warn: write, error: write };
    const { tracker, time, transport } = create({ logger, buffer: { maxEvents: 10 } });
    for (let number = 0; number < 1_010; number += 1) tracker.track('event', { number }, ada);
    const dropped = () => lines.filter(([, message]) => message === 'sluice dropped: buffer-full');
    expect(dropped()).toHaveLength(1);
    transport.respond = () => answered(503);
    await time.advance(10_000);
    for (let number = 0; number < 1_010; number += 1) tracker.track('event', { number }, ada);
    expect(dropped()).toHaveLength(2);
    expect(dropped()[1]?.[0]).toMatchObject({ reason: 'buffer-full', suppressed: 999 });
    const closed = tracker.close({ timeoutMs: 0 });
    await time.advance(10_000);
    await closed;
  });

  it('is shown no key, whatever quotes it', async () => {
    const lines: unknown[] = [];
    const write = (...line: unknown[]) => void lines.push(line);
    const tell = (): never => {
      throw new Error(`mine, with ${apiKey}`, { cause: new Error(JSON.stringify({ apiKey })) });
    };
    const bench = create({
      logger: { debug: write, info: write, warn: write, error: write },
      waitUntil: tell,
    });
    bench.tracker.on('delivered', tell);
    await use(bench);
    bench.tracker.setApiKey('another-canary');
    let status = 0;
    bench.transport.respond = ({ headers }) => {
      status += 1;
      if (status === 1) throw new Error(JSON.stringify(headers));
      return answered([400, 503, 302, 401][status % 4] ?? 500, { body: JSON.stringify({ headers, apiKey }) });
    };
    for (let number = 0; number < 10; number += 1) bench.tracker.track(apiKey, { apiKey }, ada);
    const closed = bench.tracker.close({ timeoutMs: 600_000 });
    await bench.time.advance(600_000);
    await closed;
    expect(lines.length).toBeGreaterThan(5);
    const text = shown(lines);
    expect(text).toContain('[key]');
    expect(text).not.toContain('canary');
  });
});

/** Everything that is visible of a value: also the causes of errors, and hidden properties. */
function shown(value: unknown, depth = 8): string {
  if (typeof value !== 'object' || value === null || depth === 0) return String(value);
  const parts = Reflect.ownKeys(value).map(
    (key) => `${String(key)}: ${shown(Reflect.get(value, key), depth - 1)}`,
  );
  return `{${parts.join(', ')}}`;
}

describe('code of the user that throws what cannot be looked at', () => {
  function unseen(): object {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  function thrower(): never {
    throw unseen();
  }

  it('disturbs neither track() nor delivery, and is raised', async () => {
    const transport: Transport = {
      post: async () => ({ kind: 'answered', status: 200, retryAfter: undefined, body: '' }),
      close: thrower,
    };
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journal: 'memory', transport },
      delivery: { classify: thrower },
    });
    const hooks: string[] = [];
    tracker.on('callbackFailed', ({ callback }) => hooks.push(callback));
    tracker.on('invalid', thrower);
    tracker.on('delivered', thrower);
    expect(() => tracker.track('bad', { toJSON: thrower }, { correlationValue: 'a' })).not.toThrow();
    tracker.track('good', {}, { correlationValue: 'a' });
    expect(await tracker.close()).toMatchObject({ delivered: 1, pending: 0 });
    expect(hooks.sort()).toEqual(['delivery.classify', 'listener of delivered', 'listener of invalid']);
    expect(tracker.stats()).toMatchObject({ invalid: 1, delivered: 1 });
  });
});
