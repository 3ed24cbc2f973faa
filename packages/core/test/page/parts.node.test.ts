import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../src/parts/dead-letters/dead-letter.ts';
import { range } from '../bench/bench.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const HOUR = 60 * 60_000;
let origin: FakeOrigin;
/** The numbers of the events that the service accepted, in order. */
let taken: number[];
/** Events that it refuses. */
let bad: ReadonlySet<number>;

beforeEach(() => {
  origin = new FakeOrigin();
  taken = [];
  bad = new Set();
  origin.respond = (_, { body }) => {
    const { batch } = JSON.parse(new TextDecoder().decode(body)) as {
      batch: { payload: { number: number } }[];
    };
    const numbers = batch.map(({ payload }) => payload.number);
    if (numbers.some((number) => bad.has(number))) return answered(400);
    taken.push(...numbers);
    return answered(200);
  };
});

afterEach(() => origin.close());

/** Lets work end that needs no time. */
async function done<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) await origin.pass(1);
  return work;
}

async function listed(tab: FakeTab): Promise<number[]> {
  const letters: DeadLetter[] = [];
  const list = async () => {
    for await (const letter of tab.tracker.deadLetters.list()) letters.push(letter);
  };
  await done(list());
  return letters.map(({ event }) => (event as { payload: { number: number } }).payload.number);
}

/** A page with two dead letters, the events 1 and 4 of ten. */
async function withLetters(options?: Parameters<FakeOrigin['openTab']>[0]): Promise<FakeTab> {
  const tab = origin.openTab(options);
  bad = new Set([1, 4]);
  tab.track(10);
  await origin.pass(60_000, 500);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 8, deadLettered: 2, deadLetters: { kept: 2 } });
  bad = new Set();
  taken.length = 0;
  return tab;
}

describe.each(['indexeddb', 'memory'])('dead letters in %s', (kind) => {
  const options = kind === 'memory' ? { journal: 'memory' as const } : {};

  it('are listed, the oldest first, and counted', async () => {
    const tab = await withLetters(options);
    expect((await listed(tab)).sort()).toEqual([1, 4]);
    expect(await done(tab.tracker.deadLetters.count())).toBe(2);
    expect(tab.tracker.deadLetters.bytes).toBeGreaterThan(200);
  });

  it('are sent again, each once, and are gone', async () => {
    const tab = await withLetters(options);
    expect(await done(tab.tracker.deadLetters.replay())).toBe(2);
    await origin.pass(2_000);
    expect(taken.sort()).toEqual([1, 4]);
    expect(tab.tracker.stats()).toMatchObject({
      recovered: 2,
      delivered: 10,
      pending: 0,
      deadLetters: { kept: 0 },
    });
    expect(tab.imbalance).toBe(0);
    expect(await listed(tab)).toEqual([]);
  });

  it('are chosen by id or by a function, and deleted', async () => {
    const tab = await withLetters(options);
    const { deadLetters } = tab.tracker;
    const isFour = ({ event }: DeadLetter) => (event as { payload: { number: number } }).payload.number === 4;
    expect(await done(deadLetters.purge(isFour))).toBe(1);
    expect(await listed(tab)).toEqual([1]);
    await expect(done(deadLetters.replay('all' as never))).rejects.toMatchObject({ code: 'SLUICE_CONFIG' });
    expect(await done(deadLetters.purge())).toBe(1);
    expect(await done(deadLetters.count())).toBe(0);
  });

  it('are asked for in vain after close()', async () => {
    const tab = await withLetters(options);
    await tab.close();
    await expect(done(tab.tracker.deadLetters.count())).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('are within their limits: the oldest are dropped', async () => {
    const tab = await withLetters({ ...options, deadLetters: { maxBytes: 65_536, maxAgeMs: HOUR } });
    const dropped: object[] = [];
    tab.tracker.on('deadLettersDropped', (detail) => dropped.push(detail));
    bad = new Set([20, 21]);
    tab.track(3);
    for (const number of [20, 21]) tab.tracker.track('event', { number, text: 'x'.repeat(40_000) });
    await origin.pass(60_000, 500);
    expect(dropped).toEqual([{ reason: 'full', count: 3 }]);
    expect(tab.tracker.stats().deadLetters).toMatchObject({ kept: 1 });
    await origin.pass(2 * HOUR, 60_000);
    tab.track(1);
    await origin.pass(1_000);
    expect(dropped).toEqual([
      { reason: 'full', count: 3 },
      { reason: 'expired', count: 1 },
    ]);
  });
});

describe('dead letters of several pages', () => {
  it('are found by the next page, and replayed by one of two', async () => {
    const first = await withLetters();
    await first.close();
    const [one, other] = [origin.openTab(), origin.openTab()];
    await origin.pass(100);
    expect(one.tracker.stats().deadLetters.kept).toBe(2);
    const counts = await done(Promise.all([one, other].map((tab) => tab.tracker.deadLetters.replay())));
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    await origin.pass(5_000);
    expect(taken.sort()).toEqual([1, 4]);
  });
});

describe('strict order', () => {
  const ordering = 'strict' as const;

  it('sends what former pages left before what is new, in its order', async () => {
    let status = 500;
    const { respond } = origin;
    origin.respond = (events, request) => (status === 200 ? respond(events, request) : answered(status));
    for (let page = 0; page < 3; page += 1) {
      const tab = origin.openTab({ ordering, batch: { maxEvents: 7, maxWaitMs: 100 } });
      for (let number = page * 10; number < page * 10 + 10; number += 1)
        tab.tracker.track('event', { number });
      await origin.pass(400);
      await tab.close();
    }
    status = 200;
    const last = origin.openTab({ ordering });
    for (let number = 30; number < 40; number += 1) last.tracker.track('event', { number });
    await origin.pass(10 * 60_000, 1_000);
    expect(taken).toEqual(range(0, 40));
  });

  it('is kept where events are refused, and pages come and go', async () => {
    bad = new Set([3, 4, 17]);
    for (let page = 0; page < 2; page += 1) {
      const tab = origin.openTab({ ordering });
      for (let number = page * 10; number < page * 10 + 10; number += 1)
        tab.tracker.track('event', { number });
      await origin.pass(60_000, 500);
      if (page === 0) tab.kill();
    }
    await origin.pass(10 * 60_000, 1_000);
    expect(new Set(taken)).toEqual(new Set(range(0, 20).filter((number) => !bad.has(number))));
    const once = taken.filter((number, index) => taken.indexOf(number) === index);
    expect(once).toEqual([...once].sort((a, b) => a - b));
  });

  it('is kept where events of several customers are refused together', async () => {
    const customers = ['ada@example.com', 'bob@example.com'];
    bad = new Set([5]);
    const tab = origin.openTab({ ordering });
    for (let number = 0; number < 12; number += 1)
      tab.tracker.track('event', { number }, { correlationValue: customers[number % 2] ?? '' });
    await origin.pass(10 * 60_000, 1_000);
    expect(taken).toEqual(range(0, 12).filter((number) => !bad.has(number)));
  });

  it('sets an event aside after maxTries', async () => {
    const { respond } = origin;
    origin.respond = (events, request) => {
      const outcome = respond(events, request);
      return Object(outcome).status === 400 ? answered(500) : outcome;
    };
    bad = new Set([2]);
    const tab = origin.openTab({ ordering, delivery: { maxTries: 7, retryMaxMs: 1_000 } });
    tab.track(6);
    await origin.pass(20 * 60_000, 1_000);
    expect(taken).toEqual([0, 1, 3, 4, 5]);
    expect(tab.tracker.stats()).toMatchObject({ pending: 1, suspects: [expect.anything()] });
  });
});

describe('order per customer', () => {
  it('is kept where events are refused, while those of others go on', async () => {
    const customers = ['ada@example.com', 'bob@example.com', 'cy@example.com'];
    bad = new Set([4, 9]);
    const tab = origin.openTab({ ordering: 'per-customer', delivery: { maxConcurrency: 4 } });
    for (let number = 0; number < 30; number += 1) {
      tab.tracker.track('event', { number }, { correlationValue: customers[number % 3] ?? '' });
      if (number % 5 === 0) await origin.pass(300, 50);
    }
    await origin.pass(20 * 60_000, 1_000);
    expect([...taken].sort((a, b) => a - b)).toEqual(range(0, 30).filter((number) => !bad.has(number)));
    for (const customer of [0, 1, 2]) {
      const theirs = taken.filter((number) => number % 3 === customer);
      expect(theirs).toEqual([...theirs].sort((a, b) => a - b));
    }
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, deadLettered: 2 });
  });

  it('holds for what a former page left', async () => {
    origin.respond = () => answered(500);
    const first = origin.openTab({ ordering: 'per-customer' });
    for (let number = 0; number < 10; number += 1)
      first.tracker.track(
        'event',
        { number },
        { correlationValue: number % 2 ? 'ada@example.com' : 'bob@example.com' },
      );
    await origin.pass(400);
    await first.close();
    origin.respond = (_, { body }) => {
      const { batch } = JSON.parse(new TextDecoder().decode(body)) as {
        batch: { payload: { number: number } }[];
      };
      taken.push(...batch.map(({ payload }) => payload.number));
      return answered(200);
    };
    const next = origin.openTab({ ordering: 'per-customer' });
    next.tracker.track('event', { number: 10 }, { correlationValue: 'bob@example.com' });
    await origin.pass(5 * 60_000, 1_000);
    for (const rest of [0, 1]) {
      const theirs = taken.filter((number) => number % 2 === rest);
      expect(theirs).toEqual(range(0, 11).filter((number) => number % 2 === rest));
    }
  });
});

describe('the limits of storage', () => {
  it('drop the oldest, and keep what has high priority', async () => {
    const { respond } = origin;
    origin.respond = () => answered(500);
    const tab = origin.openTab({ storage: { maxBytes: 65_536 }, logger: false });
    tab.tracker.track('event', { number: 1_000 }, { priority: 'high' });
    for (let number = 0; number < 40; number += 1) {
      tab.tracker.track('event', { number, text: 'x'.repeat(4_000) });
      await origin.pass(300, 100);
    }
    const { dropped, journalBytes, pending } = tab.tracker.stats();
    expect(journalBytes).toBeLessThanOrEqual(65_536);
    expect(dropped['journal-full']).toBeGreaterThan(10);
    expect(dropped['journal-full'] + pending).toBe(41);
    expect(tab.imbalance).toBe(0);
    origin.respond = respond;
    tab.tracker.retryNow();
    await origin.pass(5_000, 100);
    expect(taken).toContain(1_000);
    expect(taken).toContain(39);
  });

  it('drop the newest, where that is wanted', async () => {
    origin.respond = () => new Promise(() => {});
    const tab = origin.openTab({ storage: { maxBytes: 65_536, whenFull: 'drop-newest' }, logger: false });
    for (let number = 0; number < 40; number += 1) {
      tab.tracker.track('event', { number, text: 'x'.repeat(4_000) });
      await origin.pass(300, 100);
    }
    const { dropped, pending } = tab.tracker.stats();
    expect(dropped['journal-full']).toBeGreaterThan(10);
    expect(dropped['journal-full'] + pending).toBe(40);
    tab.kill();
  });

  it('drop what is too old, also where it waits for its retry', async () => {
    origin.respond = () => answered(500);
    const tab = origin.openTab({ storage: { maxAgeMs: HOUR }, logger: false });
    tab.track(10);
    await origin.pass(HOUR - 60_000, 60_000);
    expect(tab.tracker.stats()).toMatchObject({ pending: 10 });
    await origin.pass(HOUR, 60_000);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, dropped: { expired: 10 } });
  });
});

it('a journal of the user is refused: a page has its own', () => {
  expect(() => origin.openTab({ journal: new FakeJournal() })).toThrow('must be "memory" in a page');
});
