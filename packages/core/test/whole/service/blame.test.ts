import { describe, expect, it } from 'vitest';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents } from '../../../src/index.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { answered, ScriptedTransport, type SeenRequest } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WORDS = 'blocked by rule 942100';

/** A tracker with default options, a function as its service, and virtual time. */
class Bench {
  readonly clock = new VirtualClock();
  readonly transport = new ScriptedTransport(this.clock);
  readonly tracker: Tracker;
  readonly pauses: TrackerEvents['paused'][] = [];
  /** When each event was tracked, and how long it took until the service had it. */
  readonly trackedAt: number[] = [];
  readonly ages = new Map<number, number>();

  constructor(respond: (numbers: readonly number[], request: SeenRequest) => Outcome | number) {
    let seed = 1;
    this.tracker = createTracker({
      ...{ baseUrl: 'http://service.example', apiKey: 'key', correlationKey: 'email', journal: 'memory' },
      ...{ clock: this.clock, transport: this.transport },
      random: () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return seed / 2_147_483_647;
      },
    });
    this.tracker.on('paused', (pause) => this.pauses.push(pause));
    this.transport.respond = (request) => {
      const numbers = request.events.map((event) => (event as { payload: { n: number } }).payload.n);
      const given = respond(numbers, request);
      const outcome = typeof given === 'number' ? answered(given) : given;
      if (outcome.kind === 'answered' && outcome.status === 200 && !outcome.body.startsWith('<')) {
        for (const n of numbers) this.ages.set(n, this.clock.now() - (this.trackedAt[n] ?? 0));
      }
      return outcome;
    };
  }

  track(): void {
    this.tracker.track('event', { n: this.trackedAt.length }, { correlationValue: 'ada@example.com' });
    this.trackedAt.push(this.clock.now());
  }

  /** All timers run that are due within this time, each at its time. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settle();
  }

  /** Tracks one event every `everyMs` milliseconds. */
  async run(count: number, everyMs: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      this.track();
      await this.clock.advance(everyMs);
    }
    await settle();
  }

  /** Numbers of the events that are dead letters, each with the excerpt of the service's answer. */
  async deadLetters(): Promise<[number, string][]> {
    const found: [number, string][] = [];
    for await (const { event, excerpt } of this.tracker.deadLetters.list()) {
      found.push([(event as { payload: { n: number } }).payload.n, excerpt]);
    }
    return found;
  }
}

/** A firewall in front of a service that works. It refuses requests that contain one certain event. */
function firewall(status: number, poison: number): Bench {
  return new Bench((numbers) => (numbers.includes(poison) ? answered(status, { body: WORDS }) : 200));
}

describe('one event that a firewall refuses', () => {
  it.each([403, 404, 405, 410])(
    'holds up no other at one event a second, and becomes a dead letter with its words: %d',
    async (status) => {
      const bench = firewall(status, 120);
      await bench.run(240, SECOND);
      await bench.pass(MINUTE);
      expect(bench.ages.size).toBe(239);
      expect(Math.max(...bench.ages.values())).toBeLessThan(MINUTE);
      expect(await bench.deadLetters()).toEqual([[120, WORDS]]);
      expect(bench.pauses).toEqual([]);
    },
  );

  it('holds up no other at one event a minute', async () => {
    const bench = firewall(403, 10);
    await bench.run(60, MINUTE);
    expect(bench.ages.size).toBe(59);
    expect(Math.max(...bench.ages.values())).toBeLessThan(MINUTE);
    expect(await bench.deadLetters()).toEqual([[10, WORDS]]);
  });

  it('has held up no other by the event after next at one event an hour', async () => {
    const bench = firewall(404, 2);
    await bench.run(12, HOUR);
    expect(bench.ages.size).toBe(11);
    expect(Math.max(...bench.ages.values())).toBeLessThanOrEqual(2 * HOUR);
  });

  it.each([401, 302])('is kept for ever where the answer says nothing of events: %d', async (status) => {
    const bench = firewall(status, 120);
    await bench.run(240, SECOND);
    await bench.pass(HOUR);
    expect(bench.ages.size).toBe(239);
    expect(Math.max(...bench.ages.values())).toBeLessThan(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 239, deadLettered: 0, pending: 1 });
  });

  it('is found among 500 that are sent together', async () => {
    const bench = firewall(403, 321);
    bench.track();
    await bench.pass(5 * SECOND);
    for (let count = 0; count < 500; count += 1) bench.track();
    await bench.run(120, SECOND);
    expect(bench.ages.size).toBe(620);
    expect(Math.max(...bench.ages.values())).toBeLessThan(MINUTE);
    expect(await bench.deadLetters()).toEqual([[321, WORDS]]);
  });

  it('does not hold up what comes later where it is the first of all', async () => {
    const bench = firewall(403, 0);
    await bench.run(300, SECOND);
    await bench.pass(5 * MINUTE);
    expect(bench.ages.size).toBe(299);
  });

  it('is refused five times before it is a dead letter, however often the service failed with it before', async () => {
    let failures = 0;
    let refusals = 0;
    const bench = new Bench((numbers) => {
      if (!numbers.includes(20)) return 200;
      failures += 1;
      if (failures <= 4) return 503;
      refusals += 1;
      return answered(400, { body: WORDS });
    });
    await bench.run(120, SECOND);
    expect(await bench.deadLetters()).toEqual([[20, WORDS]]);
    expect(refusals).toBeGreaterThanOrEqual(5);
    expect(bench.ages.size).toBe(119);
  });

  it('waits where nothing newer shows that the service accepts others', async () => {
    const bench = firewall(403, 1);
    await bench.run(2, SECOND);
    await bench.pass(6 * HOUR);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, deadLettered: 0, pending: 1 });
  });

  it('is a dead letter each, where there are many of them', async () => {
    const bench = new Bench((numbers) => (numbers.some((n) => n % 10 === 7) ? 403 : 200));
    await bench.run(600, SECOND);
    await bench.run(120, SECOND);
    expect(Math.max(...bench.ages.values())).toBeLessThan(MINUTE);
    const expected = Array.from({ length: 60 }, (_, index) => index * 10 + 7);
    expect((await bench.deadLetters()).map(([n]) => n)).toEqual(expect.arrayContaining(expected));
    expect(bench.ages.size).toBeGreaterThan(640);
  });
});

describe("refusals that are nobody event's fault make no dead letter:", () => {
  const cases: [string, (bench: () => Bench, number: number) => number][] = [
    ['a firewall that closes for ten minutes', (bench) => (isBetween(bench(), 5, 15) ? 403 : 200)],
    [
      'a key that is revoked over a minute, for ten',
      (bench, number) => (isRevoked(bench(), number) ? 401 : 200),
    ],
    ['the same, answered with 403', (bench, number) => (isRevoked(bench(), number) ? 403 : 200)],
    ['one node of four', (_, number) => (number % 4 === 3 ? 403 : 200)],
    [
      'one request in twenty, at an address that was not found',
      (_, number) => (number % 20 === 7 ? 404 : 200),
    ],
  ];

  it.each(cases)('%s', async (_, statusOf) => {
    let requests = 0;
    const bench: Bench = new Bench(() => {
      requests += 1;
      return statusOf(() => bench, requests);
    });
    await bench.run(10 * 60, 2 * SECOND);
    await bench.pass(HOUR);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 600, deadLettered: 0, pending: 0 });
  });

  it('a limit of one request a second that answers 403', async () => {
    let last = Number.NEGATIVE_INFINITY;
    let isLimited = true;
    const bench: Bench = new Bench(() => {
      const now = bench.clock.now();
      if (isLimited && now - last < SECOND) return 403;
      last = now;
      return 200;
    });
    await bench.run(600, 250);
    await bench.pass(HOUR);
    expect(bench.tracker.stats()).toMatchObject({ deadLettered: 0, dropped: { refused: 0 } });
    isLimited = false;
    await bench.pass(HOUR);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 600, deadLettered: 0, pending: 0 });
  });

  it.each([404, 405, 302])(
    'a stray %d to one request in 200, which delays the others by no more than 5 s',
    async (status) => {
      let requests = 0;
      const bench = new Bench(() => {
        requests += 1;
        return requests % 200 === 100 ? status : 200;
      });
      await bench.run(500, SECOND);
      const ages = [...bench.ages.values()].sort((a, b) => a - b);
      expect(ages).toHaveLength(500);
      expect(ages[Math.floor(ages.length * 0.99)]).toBeLessThan(5 * SECOND);
      expect(bench.pauses).toEqual([]);
    },
  );
});

it('a key that is refused for all pauses, and a new one delivers all of it at once', async () => {
  const bench = new Bench((_, { headers }) => (headers.authorization === 'Api-Key second' ? 200 : 401));
  await bench.run(100, SECOND);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 0, pending: 100 });
  expect(bench.tracker.stats().pause).toMatchObject({ reason: 'unauthorized', status: 401 });
  bench.tracker.setApiKey('second');
  await bench.pass(10 * SECOND);
  expect(bench.tracker.stats()).toMatchObject({
    delivered: 100,
    deadLettered: 0,
    pending: 0,
    pause: undefined,
  });
});

/** In minutes since the start: `from` is included, `to` is not. */
function isBetween({ clock, trackedAt: [start = 0] }: Bench, from: number, to: number): boolean {
  const minutes = (clock.now() - start) / MINUTE;
  return minutes >= from && minutes < to;
}

/** At first half of the requests, then all requests, meet a node that knows that the key is revoked. */
function isRevoked(bench: Bench, number: number): boolean {
  return isBetween(bench, 6, 16) || (isBetween(bench, 5, 6) && (number * 7) % 10 < 5);
}
