import { afterEach, expect, it, vi } from 'vitest';
import { Bench, type BenchOptions } from '../bench/bench.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

const REFUSED = 'POST http://localhost/api/events/batch/ was answered 401 with "no"';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A tracker whose user gave no logger, and the lines that it writes to the console. */
function create(options: BenchOptions = {}): { bench: Bench; warned: string[]; shown: string[] } {
  const warned: string[] = [];
  const shown: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line) => warned.push(line));
  vi.spyOn(console, 'debug').mockImplementation((line) => shown.push(line));
  return { bench: new Bench({ baseUrl: 'http://localhost', logger: undefined, ...options }), warned, shown };
}

it('the console shows the first refused event, and what is wrong with it', async () => {
  const { bench, warned } = create();
  bench.tracker.track('purchase', { total: 1n } as object, { correlationValue: 'ada@example.com' });
  bench.tracker.track('purchase', { total: 2n } as object, { correlationValue: 'ada@example.com' });
  expect(warned).toEqual([expect.stringMatching(/^Sluice refused purchase: payload\.total .*bigint/)]);
});

it('the console shows that an event names no customer, and each way to name one', () => {
  const { bench, warned } = create({ unidentified: { hold: false } });
  bench.tracker.track('purchase');
  expect(warned).toEqual([
    'Sluice refused purchase: correlationValue must be a non-empty string, given by for(), track() or identify(), got nothing',
  ]);
});

it('the console shows a wrong key once, with the answer and what to do', async () => {
  const { bench, warned } = create();
  bench.answer(() => answered(401, { body: 'no' }));
  await bench.track(3);
  await bench.pass(600_000);
  expect(warned).toEqual([`Sluice cannot deliver: ${REFUSED}; action: pause; check apiKey`]);
});

it('the console shows a hook that fails, by its name: its events go on without it', async () => {
  const beforeSend = () => {
    throw new Error('code of mine');
  };
  const { bench, warned } = create({ beforeSend });
  await bench.track(3);
  expect(bench.taken).toHaveLength(3);
  expect(warned).toEqual(['Sluice failed in beforeSend: code of mine']);
});

it('the console shows that nothing answers at the first try, and not again', async () => {
  const { bench, warned } = create();
  bench.answer(() => failed(false, new Error('connect ECONNREFUSED')));
  await bench.track(3);
  expect(warned).toEqual([
    expect.stringMatching(/cannot deliver: .* connect ECONNREFUSED; action: retry; check service$/),
  ]);
});

it('the console shows nothing of one failure of a service that has worked, but shows a pause', async () => {
  const { bench, warned } = create();
  await bench.track(1);
  bench.answer(() => 503);
  await bench.track(1);
  expect(warned).toEqual([]);
  await bench.pass(600_000);
  expect(warned).toEqual([expect.stringMatching(/^Sluice pauses: .* was answered 503 .*wait$/)]);
});

it('the console shows the first drop for each reason, with what to do', async () => {
  const { bench, warned } = create({ buffer: { maxEvents: 2 } });
  bench.trackNow(9);
  await bench.tracker.close();
  bench.trackNow(2);
  expect(warned).toEqual([
    'Sluice dropped events: buffer-full; raise buffer',
    'Sluice dropped events: closed; close() later',
  ]);
});

it('the console shows the first event that a service which works refuses for good, with its answer', async () => {
  const { bench, warned } = create();
  bench.refuse((number) => number % 10 === 7, 400);
  for (let turn = 0; turn < 10; turn += 1) {
    await bench.track(5);
    await bench.pass(10_000);
  }
  expect(bench.tracker.stats().deadLettered).toBe(5);
  expect(warned).toEqual(['Sluice made a dead letter: 400 ""']);
});

it('a denial that the application asked for is no news', async () => {
  const { bench, warned } = create();
  bench.tracker.setConsent('denied');
  await bench.track(2);
  expect(warned).toEqual([]);
});

it('logger: false, and a logger of the application, keep the console empty', async () => {
  const lines: string[] = [];
  const write = (_data: object, message: string) => lines.push(message);
  const logger = { debug: write, info: write, warn: write, error: write };
  for (const given of [false, logger] as const) {
    const { bench, warned } = create({ logger: given });
    bench.tracker.track('purchase', { total: 1n } as object);
    expect(warned).toEqual([]);
  }
  expect(lines).toEqual(['sluice invalid']);
});

it('debug shows each step, with the event itself and without the key', async () => {
  const { bench, shown } = create({ debug: true, apiKey: 'a-key-that-nobody-sees' });
  bench.tracker.track('a-key-that-nobody-sees', { n: 0 }, { correlationValue: 'ada@example.com' });
  await bench.pass(1);
  expect(shown.map((line) => line.split(' {')[0])).toEqual([
    'Sluice tracked',
    'Sluice request',
    'Sluice delivered',
  ]);
  expect(shown[0]).toContain('"correlationValue":"ada@example.com"');
  expect(shown.join()).not.toContain('a-key-that-nobody-sees');
});

it.each([undefined, true])(
  'a console that throws, as in some tests, stops nothing (debug: %s)',
  async (debug) => {
    const { bench } = create({ debug, buffer: { maxEvents: 2 } });
    for (const method of ['warn', 'debug'] as const)
      vi.spyOn(console, method).mockImplementation(() => {
        throw new Error('this test fails on any output');
      });
    let isDown = true;
    bench.answer(() => (isDown ? failed(false) : 200));
    expect(() => bench.tracker.track('purchase', 5 as never)).not.toThrow();
    expect(() => bench.trackNow(5)).not.toThrow();
    await bench.pass(1);
    isDown = false;
    await bench.pass(60_000);
    const { delivered, dropped, invalid } = bench.tracker.stats();
    expect([delivered, dropped['buffer-full'], invalid]).toEqual([2, 3, 1]);
    bench.check();
  },
);
