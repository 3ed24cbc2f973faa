import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import { settle } from '../../../src/entries/testing/virtual-clock.ts';
import type { TrackerEvents } from '../../../src/index.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions, numberOf, range, sorted } from '../../bench/bench.ts';
import { answered, failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('Delivery, as a policy says', () => {
  it('accepts what the table would take for a refusal', async () => {
    const bench = new Bench({ delivery: { policy: { '409': 'accept' } } });
    bench.answer(() => 409);
    await bench.track(5);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 5, deadLettered: 0, pending: 0 });
    expect(bench.tracker.stats().requests).toMatchObject({ sent: 1, retried: 0, failed: 0 });
  });

  it('tries again what the table would accept', async () => {
    const bench = new Bench({ delivery: { policy: { '202': 'retry' } } });
    bench.answer(() => (bench.requests < 3 ? 202 : 200));
    await bench.track(1);
    await bench.pass(10 * SECOND);
    expect(bench.requests).toBe(3);
    expect(new Set(bench.transport.requests.map(({ text }) => text)).size).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1 });
  });

  it('halves on another status than 413', async () => {
    const bench = new Bench({ delivery: { policy: { '507': 'split' } } });
    bench.answer((numbers) => (numbers.length > 3 ? 507 : 200));
    await bench.track(10);
    expect(sorted(bench.taken)).toEqual(range(0, 10));
    expect(bench.tracker.stats()).toMatchObject({ delivered: 10, bodyLimit: expect.any(Number) });
  });

  it('looks for the event at fault on another status than 400', async () => {
    const bench = new Bench({ delivery: { policy: { '5xx': 'isolate' } } });
    bench.refuse((n) => n === 7, 500);
    await bench.track(20);
    await bench.pass(MINUTE);
    expect(await bench.kept()).toEqual([7]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 19, deadLettered: 1 });
  });

  it('pauses, and says that it was the policy', async () => {
    const bench = new Bench({ delivery: { policy: { '5xx': 'pause', '429': 'pause' } } });
    bench.answer(() => 502);
    await bench.track(5);
    await bench.pass(30 * SECOND);
    expect(bench.requests).toBe(1);
    expect(bench.tracker.stats().pause).toMatchObject({ reason: 'policy', status: 502 });
  });

  it('drops, says so, and goes on with the others', async () => {
    const bench = new Bench({ delivery: { policy: { '410': 'drop' } }, maxEvents: 5 });
    const dropped: TrackerEvents['dropped'][] = [];
    bench.tracker.on('dropped', (detail) => dropped.push(detail));
    bench.refuse((n) => n < 5, 410);
    await bench.track(10);
    expect(bench.taken).toEqual(range(5, 10));
    expect(dropped).toEqual([{ reason: 'refused', count: 5 }]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 5, dropped: { refused: 5 }, pending: 0 });
    expect(bench.tracker.stats().breaker).toBe('closed');
  });
});

describe('Delivery, with a classify hook', () => {
  /** Reads the rejected events from the answer's body. */
  const classify: NonNullable<BenchOptions['delivery']>['classify'] = ({ body }) =>
    body === '' ? undefined : JSON.parse(body);

  function rejecting(
    isBad: (n: number) => boolean,
    key: 'index' | 'uuid',
    options: BenchOptions = {},
  ): Bench {
    const bench = new Bench({ ...options, delivery: { classify, ...options.delivery } });
    bench.transport.respond = ({ events }) => {
      const rejected = events.flatMap((event, index) => {
        if (!isBad(numberOf(event))) {
          bench.taken.push(numberOf(event));
          return [];
        }
        const name = key === 'index' ? { index } : { uuid: Reflect.get(Object(event), 'uuid') };
        return [{ ...name, reason: `no such user ${numberOf(event)}` }];
      });
      return answered(207, { body: JSON.stringify(rejected) });
    };
    return bench;
  }

  it.each(['index', 'uuid'] as const)('keeps the events that are named by %s, and no others', async (key) => {
    const bench = rejecting((n) => [0, 3, 4, 199, 300, 499].includes(n), key);
    await bench.track(500);
    expect(await bench.kept()).toEqual([0, 3, 4, 199, 300, 499]);
    expect(bench.requests).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 494, deadLettered: 6, pending: 0 });
    for await (const { status, excerpt } of bench.tracker.deadLetters.list()) {
      expect([status, excerpt]).toEqual([207, expect.stringContaining('no such user')]);
    }
  });

  it('reads answers far longer than what is shown of them', async () => {
    const bench = rejecting((n) => n % 3 === 0, 'uuid');
    await bench.track(200);
    expect(await bench.kept()).toEqual(range(0, 200).filter((n) => n % 3 === 0));
  });

  it.each<[string, () => unknown]>([
    ['throws', () => expect.fail('code of mine')],
    ['rejects', async () => expect.fail('code of mine')],
    ['returns nonsense', () => 'all of them'],
  ])('delivers all where it %s, and says so once', async (_, hook) => {
    const bench = new Bench({
      delivery: { classify: hook as NonNullable<NonNullable<BenchOptions['delivery']>['classify']> },
    });
    for (let round = 0; round < 3; round += 1) await bench.track(5);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 15, deadLettered: 0 });
    expect(bench.callbacksFailed.map(({ callback }) => callback)).toEqual(['delivery.classify']);
  });

  it('pauses where all are rejected, and delivers the rest later', async () => {
    let isBad = true;
    const bench = rejecting(() => isBad, 'index');
    await bench.track(500);
    await bench.pass(30 * MINUTE);
    expect(await bench.kept()).toEqual([]);
    expect(bench.pauses[0]).toMatchObject({ reason: 'refused', status: 207 });
    expect(bench.requests).toBeLessThanOrEqual(250);
    isBad = false;
    await bench.pass(HOUR);
    expect(sorted(bench.taken)).toEqual(range(0, 500));
    expect(bench.tracker.stats().pending).toBe(0);
  });

  it('is not held up for good by many that are rejected in a row, where order is strict', async () => {
    const bench = rejecting((n) => n < 13, 'index', { ordering: 'strict' });
    await bench.track(20);
    await bench.pass(6 * HOUR, MINUTE);
    expect(bench.taken).toEqual(range(13, 20));
    expect(sorted(await bench.kept())).toEqual(range(0, 13));
  });
});

describe('Delivery, where order is strict', () => {
  const strict: BenchOptions = { ordering: 'strict', maxEvents: 10, delivery: { maxConcurrency: 4 } };

  it('makes one request at a time, in the order of tracking', async () => {
    const bench = new Bench(strict);
    bench.answer(async () => {
      await settle();
      return answered(200);
    });
    for (let round = 0; round < 5; round += 1) await bench.track(25);
    expect(bench.transport.mostOpen).toBe(1);
    expect(bench.taken).toEqual(range(0, 125));
  });

  it('sends nothing past a batch that waits for its retry', async () => {
    const bench = new Bench(strict);
    bench.answer(() => (bench.requests < 4 ? 500 : 200));
    await bench.track(50);
    await bench.pass(MINUTE);
    expect(new Set(bench.transport.requests.slice(0, 4).map(({ text }) => text)).size).toBe(1);
    expect(bench.taken).toEqual(range(0, 50));
  });

  it('takes out what is at fault, and keeps the order of the others', async () => {
    const bench = new Bench({ ...strict, maxEvents: 100 });
    const bad = [3, 31, 32, 64, 99, 150];
    bench.refuse((n) => bad.includes(n));
    await bench.track(200);
    await bench.pass(10 * MINUTE);
    expect(bench.taken).toEqual(range(0, 200).filter((n) => !bad.includes(n)));
    expect(await bench.kept()).toEqual(bad);
  });

  it('keeps the order where bodies are too large', async () => {
    const bench = new Bench({ ...strict, maxEvents: 100 });
    bench.answer((numbers) => (numbers.length > 7 ? 413 : 200));
    await bench.track(300);
    expect(bench.taken).toEqual(range(0, 300));
  });

  it('pauses where all are refused, and goes on in order later', async () => {
    const bench = new Bench({ ...strict, maxEvents: 100 });
    bench.refuse(() => true);
    await bench.track(200);
    await bench.pass(10 * MINUTE);
    expect(bench.tracker.stats().pause?.reason).toBe('refused');
    expect(bench.tracker.stats().deadLettered).toBeLessThanOrEqual(12);
    bench.refuse(() => false);
    await bench.pass(HOUR, MINUTE);
    const kept = await bench.kept();
    expect(bench.taken).toEqual(range(kept.length, 200));
    expect(kept).toEqual(range(0, kept.length));
  });

  it('never lets one overtake another, whatever is answered', async () => {
    const answers = fc.array(fc.constantFrom(200, 200, 200, 400, 413, 500, 429, 503, 401, 'lost'), {
      maxLength: 40,
    });
    const property = fc.asyncProperty(
      answers,
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 5 }),
      async (script, counts) => {
        const bench = new Bench(strict);
        bench.answer(() => {
          const next = script.shift() ?? 200;
          return next === 'lost' ? failed(true) : Number(next);
        });
        for (const count of counts) await bench.track(count);
        await bench.pass(12 * HOUR, 5 * MINUTE);
        expect(bench.tracker.stats().pending).toBe(0);
        const first = [...new Set(bench.taken)];
        expect(first).toEqual(sorted(first));
        expect(bench.transport.mostOpen).toBeLessThanOrEqual(1);
      },
    );
    await fc.assert(property, { numRuns: cases(15) });
  });
});

describe('Delivery, looking for events at fault', () => {
  const log = Math.ceil(Math.log2(500));
  const spread = (count: number) =>
    range(0, count).map((k) => Math.floor((k * 499) / Math.max(1, count - 1)));

  it.each<[string, number[]]>([
    ['1 at the start', [0]],
    ['1 at the end', [499]],
    ['1 in the middle', [250]],
    ['3 anywhere', [17, 290, 433]],
    ['3 at the start', range(0, 3)],
    ['3 at the end', range(497, 500)],
    ['50 anywhere', spread(50)],
    ['50 at the start', range(0, 50)],
    ['50 at the end', range(450, 500)],
  ])('finds %s of 500, in the order of bad x log(500) requests', async (_, bad) => {
    const bench = new Bench();
    bench.refuse((n) => bad.includes(n));
    await bench.track(500);
    await bench.pass(HOUR);
    const { requests } = bench;
    expect(sorted(await bench.kept())).toEqual(bad);
    expect(sorted(bench.taken)).toEqual(range(0, 500).filter((n) => !bad.includes(n)));
    // Two for each halving down to each bad event, and a few for the event itself. Halves with several bad events count once.
    expect(requests).toBeLessThanOrEqual(bad.length * (2 * log + 10));
    expect(bench.pauses).toEqual([]);
  });

  it('finds exactly those at fault wherever they are, as long as they are fewer than half', async () => {
    const places = fc.uniqueArray(fc.nat(99), { maxLength: 49 });
    const property = fc.asyncProperty(places, fc.integer({ min: 5, max: 100 }), async (bad, maxEvents) => {
      const bench = new Bench({ maxEvents, delivery: { maxConcurrency: 2 } });
      bench.refuse((n) => bad.includes(n));
      await bench.track(100);
      await bench.pass(12 * HOUR, 5 * MINUTE);
      // The last event may be in a batch of its own: it is at fault once something newer is accepted.
      await bench.track(1);
      await bench.pass(12 * HOUR, 5 * MINUTE);
      expect(sorted(bench.taken)).toEqual(range(0, 101).filter((n) => !bad.includes(n)));
      expect(sorted(await bench.kept())).toEqual(sorted(bad));
    });
    await fc.assert(property, { numRuns: cases(15), examples: [[[99], 11]] });
  });

  it('keeps all where all are refused, and asks with one event from time to time', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 4 }, maxEvents: 100 });
    bench.refuse(() => true);
    await bench.track(2_000);
    const { requests } = bench;
    await bench.pass(2 * HOUR, MINUTE);
    expect(bench.tracker.stats().deadLettered).toBe(0);
    expect(requests).toBeLessThanOrEqual(120);
    expect(bench.transport.requests.slice(-8).every(({ events }) => events.length === 1)).toBe(true);
    expect(bench.requests - requests).toBeLessThanOrEqual(700);
    expect(bench.tracker.stats().pause).toMatchObject({ reason: 'refused', status: 400 });
  });
});

describe('Delivery, where bodies are too large', () => {
  it('learns the size, and makes no batch above it from then on', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 2 } });
    const most = 8 * 1_024;
    bench.answer((_, { body }) => (body.length > most ? 413 : 200));
    for (let round = 0; round < 20; round += 1) await bench.track(500);
    expect(sorted(bench.taken)).toEqual(range(0, 10_000));
    const refused = bench.transport.requests.filter(({ body }) => body.length > most);
    expect(refused.length).toBeLessThanOrEqual(20);
    // Now and then it tries a little more.
    expect(bench.tracker.stats().bodyLimit).toBeLessThanOrEqual(most * 1.1);
  });

  it('takes an event in track() that is larger than what the service refused: it becomes a dead letter', async () => {
    const bench = new Bench();
    bench.answer((_, { body }) => (body.length > 4_096 ? 413 : 200));
    const track = () =>
      bench.tracker.track('large', { text: 'x'.repeat(5_000) }, { correlationValue: 'ada@example.com' });
    for (let round = 1; round <= 3; round += 1) {
      track();
      await bench.track(3);
      await bench.pass(10 * SECOND);
      expect(bench.tracker.stats()).toMatchObject({ deadLettered: round, delivered: 3 * round, invalid: 0 });
    }
    bench.answer(() => 200);
    track();
    await bench.pass(SECOND);
    expect(bench.tracker.stats()).toMatchObject({ deadLettered: 3, delivered: 10, invalid: 0 });
  });

  it('refuses no event in track() where the service calls all too large, however small', async () => {
    const bench = new Bench();
    bench.answer(() => 413);
    await bench.track(20);
    await bench.pass(10 * MINUTE);
    await bench.track(5);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 25, invalid: 0 });
    bench.answer(() => 200);
    await bench.pass(HOUR, MINUTE);
    await bench.track(5);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 30, invalid: 0, pending: 0 });
  });
});

describe('Delivery, again', () => {
  it('sends the same bytes and the same id, and another id with each batch', async () => {
    const bench = new Bench({ delivery: { idempotencyHeader: 'Idempotency-Key' }, maxEvents: 5 });
    bench.answer(() => (bench.requests % 3 === 0 ? 200 : 503));
    await bench.track(10);
    await bench.pass(MINUTE);
    const ids = new Map<string, Set<string | undefined>>();
    for (const { text, headers } of bench.transport.requests) {
      ids.set(text, (ids.get(text) ?? new Set()).add(headers['Idempotency-Key']));
    }
    expect(bench.requests).toBe(6);
    expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1]);
    expect(new Set([...ids.values()].flatMap((each) => [...each])).size).toBe(2);
  });

  it('counts each batch that it sends again, whatever for', async () => {
    const bench = new Bench();
    const statuses = [400, 401, 503, 200];
    bench.answer(() => statuses.shift() ?? 200);
    await bench.track(1);
    await bench.pass(2 * MINUTE);
    expect(bench.tracker.stats().requests).toMatchObject({ sent: 4, retried: 3, failed: 3 });
  });

  it('asks a service that fails with few events', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 2 } });
    bench.answer(() => 500);
    await bench.track(20_000);
    await bench.pass(5 * MINUTE);
    expect(bench.tracker.stats().breaker).not.toBe('closed');
    const probes = bench.transport.requests.slice(-3);
    expect(probes.map(({ events }) => events.length)).toEqual([1, 1, 1]);
  });

  it('goes on at the rate of before after an outage that said 503', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 2 }, maxEvents: 10 });
    for (let round = 0; round < 10; round += 1) await bench.track(10);
    bench.answer(() => 503);
    await bench.track(1_000);
    await bench.pass(30 * MINUTE);
    bench.answer(() => 200);
    await bench.pass(3 * MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1_100, pending: 0 });
  });

  it('survives a transport that returns nonsense', async () => {
    const bench = new Bench();
    const post = bench.transport.post.bind(bench.transport);
    const nonsense: unknown[] = [undefined, {}, { kind: 'answered' }, 5];
    bench.transport.post = (request) =>
      nonsense.length > 0 ? (nonsense.shift() as Promise<Outcome>) : post(request);
    await bench.track(3);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, maybeDuplicate: 12, pending: 0 });
  });
});

describe('Delivery, at the end', () => {
  it('is not disturbed by a request that hangs', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 2 }, maxEvents: 5 });
    bench.answer((numbers, request) => (numbers.includes(0) ? hang(request) : 200));
    await bench.track(50);
    expect(sorted(bench.taken)).toEqual(range(5, 50));
    const closed = bench.tracker.close({ timeoutMs: 1_000 });
    await bench.clock.advance(10 * SECOND);
    expect(await closed).toMatchObject({ delivered: 0, dropped: 5 });
    bench.check();
  });
});
