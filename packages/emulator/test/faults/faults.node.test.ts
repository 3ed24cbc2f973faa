import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import type { Fault, Script } from '../../src/faults/fault.ts';
import { Faults } from '../../src/faults/faults.ts';
import type { Injection } from '../../src/faults/injection.ts';

function setUp(seed = 1) {
  const clock = new VirtualClock();
  const downs: boolean[] = [];
  const faults = new Faults(clock, seed, async (isDown) => void downs.push(isDown));
  const kind = (injection: Injection) => injection.ending?.kind ?? '-';
  /** What happens to this many requests that send events. */
  const meet = (requests: number) =>
    Array.from({ length: requests }, () => {
      const { ending } = faults.inject('events');
      return ending?.kind === 'status' ? ending.status : (ending?.kind ?? '-');
    });
  return { clock, faults, downs, kind, meet };
}

const BUSY: Fault = { kind: 'status', status: 503 };

describe('a fault', () => {
  it('acts on every request unless it is told otherwise, until it is ended', async () => {
    const { faults, meet } = setUp();
    const run = faults.add(BUSY);
    expect(meet(2)).toEqual([503, 503]);
    expect(faults.rows.faults).toMatchObject([
      { id: 1, hits: 2, state: 'active', remaining: null, endsAt: null },
    ]);
    expect(await faults.remove((each) => each === run)).toBe(1);
    expect(meet(1)).toEqual(['-']);
    expect(run.row).toMatchObject({ state: 'over', hits: 2 });
    expect(await faults.remove((each) => each === run)).toBe(0);
  });

  it('lets the first requests pass, and acts on as many as it is told', () => {
    const { faults, meet } = setUp();
    faults.add({ ...BUSY, skip: 2, times: 3 });
    expect(meet(4)).toEqual(['-', '-', 503, 503]);
    expect(faults.rows.faults).toMatchObject([{ remaining: 1, state: 'active' }]);
    expect(meet(3)).toEqual([503, '-', '-']);
    expect(faults.rows.faults).toMatchObject([{ remaining: 0, state: 'over' }]);
    expect(faults.active).toBe(0);
  });

  it('is over after so many requests, whether it acted on them or not', () => {
    const { faults, meet } = setUp(3);
    faults.add({ ...BUSY, skip: 1, requests: 10, percent: 50 });
    const met = meet(20);
    expect(met.slice(11)).toEqual(Array.from({ length: 9 }, () => '-'));
    expect(met.slice(1, 11)).toContain(503);
    expect(met.slice(1, 11)).toContain('-');
  });

  it('acts on one endpoint alone where it is told which', () => {
    const { faults, kind } = setUp();
    faults.add({ kind: 'hang', endpoint: 'customers' });
    expect([faults.inject('events'), faults.inject('customers')].map(kind)).toEqual(['-', 'hang']);
  });

  it('begins after a while and ends after another', () => {
    const { clock, faults, meet } = setUp();
    faults.add({ ...BUSY, afterMs: 1_000, forMs: 500 });
    expect(meet(1)).toEqual(['-']);
    expect(faults.rows.faults).toMatchObject([{ state: 'waiting', endsAt: '2026-11-21T10:15:31.500Z' }]);
    clock.advance(999);
    expect(meet(1)).toEqual(['-']);
    clock.advance(1);
    expect(meet(1)).toEqual([503]);
    clock.advance(499);
    expect(meet(1)).toEqual([503]);
    clock.advance(1);
    expect(meet(1)).toEqual(['-']);
    expect(faults.rows.faults).toMatchObject([{ state: 'over' }]);
  });

  it('acts on its share of the requests, the same ones for the same seed', () => {
    const choices = (seed: number) => {
      const { faults, meet } = setUp(seed);
      faults.add({ ...BUSY, percent: 30 });
      return meet(1_000);
    };
    const share = choices(7).filter((each) => each === 503).length;
    expect(share).toBeGreaterThan(250);
    expect(share).toBeLessThan(350);
    expect(choices(7)).toEqual(choices(7));
    expect(choices(7)).not.toEqual(choices(8));
  });

  it('makes choices of its own beside others of the same seed', () => {
    const { faults } = setUp();
    faults.add({ kind: 'latency', ms: 10, jitterMs: 1_000_000 });
    faults.add({ kind: 'latency', ms: 1, jitterMs: 0 });
    faults.add({ kind: 'latency', ms: 10, jitterMs: 1_000_000 });
    const injection = faults.inject('events');
    expect(injection.delayMs % 2_000_000).toBeGreaterThan(21);
    expect(injection.words).toEqual(['waits 10 ms to 1000010 ms', 'waits 1 ms', 'waits 10 ms to 1000010 ms']);
  });

  it('waits at most as long as a timer can, however much its time comes to', () => {
    const { faults } = setUp();
    faults.add({ kind: 'latency', ms: 2 ** 31 - 1, jitterMs: 0 });
    faults.add({ kind: 'latency', ms: 1 });
    expect(faults.inject('events').delayMs).toBe(2 ** 31 - 1);
  });

  it('that ends a request keeps those after it from being asked', () => {
    const { faults, meet } = setUp();
    faults.add({ kind: 'latency', ms: 5, times: 1 });
    faults.add({ ...BUSY, times: 1 });
    faults.add({ kind: 'hang', times: 1 });
    expect(meet(3)).toEqual([503, 'hang', '-']);
    expect(faults.rows.faults.map(({ hits }) => hits)).toEqual([1, 1, 1]);
  });
});

describe('a poison fault', () => {
  it('counts a request once, however many of its events match, and no request without any', () => {
    const { faults } = setUp();
    const run = faults.add({ kind: 'poison', pattern: 'sku":"b', flags: 'i', times: 1 });
    expect(faults.inject('events').objection('{"sku":"A-1"}')).toBeUndefined();
    expect(run.hits).toBe(0);
    const injection = faults.inject('events');
    for (const text of ['{"sku":"B-1"}', '{"sku":"b-2"}']) {
      expect(injection.objection(text)).toBe(
        'was refused by a fault: it refuses events that match /sku":"b/i',
      );
    }
    expect(run.hits).toBe(1);
    expect(faults.inject('events').objection('{"sku":"B-1"}')).toBeUndefined();
  });

  it('matches however a sender sets blanks', () => {
    const { faults } = setUp();
    faults.add({ kind: 'poison', pattern: '"sku":"B 2"' });
    faults.add({ kind: 'poison', pattern: '"n": 1' });
    for (const text of ['{"sku":"B 2"}', '{ "sku" :\t"B 2" }\n', '{"n": 1}']) {
      expect(faults.inject('events').objection(text)).toBeDefined();
    }
    expect(faults.inject('events').objection('{"sku":"B2","n":1}')).toBeUndefined();
  });
});

describe('a script', () => {
  const steps: Fault[] = [
    { ...BUSY, times: 2 },
    { kind: 'none', requests: 1 },
    { kind: 'hang', forMs: 1_000 },
    { kind: 'status', status: 429 },
  ];

  it('goes on to the next fault when one is over', () => {
    const { clock, faults, meet } = setUp();
    faults.add(steps);
    expect(meet(5)).toEqual([503, 503, '-', 'hang', 'hang']);
    expect(faults.rows.faults).toMatchObject([{ step: 2, hits: 4, remaining: null, state: 'active' }]);
    clock.advance(1_000);
    expect(meet(2)).toEqual([429, 429]);
    expect(faults.rows.faults).toMatchObject([{ step: 3, hits: 6 }]);
  });

  it('begins again where it is told to', () => {
    const { clock, faults, meet } = setUp();
    const script: Script = { kind: 'script', steps: steps.slice(0, 3), repeat: true };
    faults.add(script);
    meet(4);
    clock.advance(1_000);
    expect(meet(4)).toEqual([503, 503, '-', 'hang']);
  });

  it('keeps its times, also where nobody asks for a while', () => {
    const { clock, faults, meet } = setUp();
    faults.add([
      { ...BUSY, forMs: 100 },
      { kind: 'none', forMs: 100 },
      { kind: 'hang', forMs: 100 },
    ]);
    clock.advance(250);
    expect(meet(1)).toEqual(['hang']);
    clock.advance(50);
    expect(meet(1)).toEqual(['-']);
    expect(faults.rows.faults).toMatchObject([{ state: 'over' }]);
  });
});

describe('a fault by which the service is down', () => {
  it('takes event ingestion away for its time', async () => {
    const { clock, faults, downs } = setUp();
    faults.add({ kind: 'down', afterMs: 100, forMs: 50 });
    clock.advance(99);
    await faults.settled;
    expect(downs).toEqual([]);
    clock.advance(1);
    await faults.settled;
    expect(downs).toEqual([true]);
    clock.advance(50);
    await faults.settled;
    expect(downs).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  });

  it('takes it away once where there are two, until both are over', async () => {
    const { clock, faults, downs } = setUp();
    faults.add({ kind: 'down', forMs: 100 });
    faults.add([{ kind: 'down', forMs: 200 }, BUSY]);
    clock.advance(150);
    await faults.settled;
    expect(downs).toEqual([true]);
    clock.advance(50);
    await faults.settled;
    expect(downs).toEqual([true, false]);
  });

  it('brings it back when it is ended', async () => {
    const { faults, downs, clock } = setUp();
    await faults.add({ kind: 'down', forMs: 1_000_000 }).stop();
    expect(downs).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  });

  it('resets requests to read customers, as the pages are at that address', () => {
    const { faults, kind, downs } = setUp();
    faults.add({ kind: 'down', forMs: 100, endpoint: 'customers' });
    expect(kind(faults.inject('customers'))).toBe('down');
    expect(downs).toEqual([]);
  });
});
