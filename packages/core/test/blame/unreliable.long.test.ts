import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { print } from './figures.ts';
import { measure, SCALE, SCALED } from './scenario.ts';
import { bearing, nodes, stray } from './service.ts';

const MINUTE = 60;
const SECONDS = (isFull ? 30 : 5) * MINUTE;
const BATCH = 500 / SCALE;

describe('nodes that answer 500, behind a load balancer that takes the next one for each request:', () => {
  it.each(few(2, [10, 2, 4]))('one of %d', async (count) => {
    const service = bearing(20_000 / SCALE, nodes(count, { status: 500 }));
    const { figures } = await measure(`nodes 1 of ${count}`, {
      seconds: SECONDS,
      arrivals: 2_000 / SCALE,
      options: SCALED,
      service,
    });
    expect(figures.share).toBeGreaterThanOrEqual(0.99);
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(10_000);
  });
});

describe('nodes that refuse all, behind a load balancer that takes the next one for each request:', () => {
  it.each(few(1, [400, 422]))('every other one, with %d', async (status) => {
    const service = bearing(20_000 / SCALE, nodes(2, { status }));
    const { figures, trial } = await measure(`nodes that refuse with ${status}`, {
      seconds: SECONDS,
      arrivals: 2_000 / SCALE,
      options: SCALED,
      service,
    });
    expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
    expect(trial.between(0, SECONDS).eventsPerRequest).toBeGreaterThan(BATCH / 4);
    expect(trial.stats()).toMatchObject({ batchLimit: undefined });
  });
});

describe('requests that fail at random, at a service that bears four times what it is offered:', () => {
  it.each(few(1, [0.5, 0.2, 0.3]))('a share of %d', async (share) => {
    const service = bearing(8_000 / SCALE, stray(share, { status: 500 }));
    const { figures } = await measure(`random ${share}`, {
      seconds: SECONDS,
      arrivals: 2_000 / SCALE,
      options: SCALED,
      service,
    });
    const necessary = figures.tracked / BATCH / (1 - share);
    print(`  requests: ${(figures.requests / necessary).toFixed(2)} of those that are necessary`);
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(30_000);
    expect(figures.requests).toBeLessThanOrEqual(1.3 * necessary);
  });

  it('a share of 0.9 is an outage, and said so', async () => {
    const service = bearing(8_000 / SCALE, stray(0.9, { status: 500 }));
    const { figures } = await measure('random 0.9', {
      seconds: SECONDS,
      arrivals: 1_000 / SCALE,
      options: SCALED,
      service,
    });
    expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
    expect(figures.openMs).toBeGreaterThan((SECONDS / 2) * 1_000);
  });
});

describe('requests that are never answered, two batches a second, the others in 50 ms:', () => {
  const cases: [number, 'unordered' | 'per-customer', number][] = [
    [10, 'unordered', 0.99],
    [4, 'unordered', 0.95],
    [4, 'per-customer', 0.9],
    [50, 'unordered', 0.995],
  ];
  it.each(few(2, cases))('one in %d, %s', async (each, ordering, least) => {
    const service = stray(1 / each, 'never');
    const options = ordering === 'unordered' ? SCALED : { ...SCALED, ordering };
    // With order, what hangs holds up its customers: more waits at any moment.
    // What hangs in the last half minute is pending at the end. In a run of five minutes that alone is one event in a hundred.
    const seconds = ordering === 'unordered' && !isFull ? 10 * MINUTE : 30 * MINUTE;
    const scenario = { seconds, arrivals: 1_000 / SCALE, service, options };
    const { figures } = await measure(`hangs 1 in ${each}, ${ordering}`, scenario);
    expect(figures.share).toBeGreaterThanOrEqual(least);
    expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
  });
});
