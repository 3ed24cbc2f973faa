import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { measure, type Options, suspectsIn } from './scenario.ts';
import { refusing } from './service.ts';

const MINUTE = 60;
const SECONDS = (isFull ? 30 : 2) * MINUTE;

/** Events of which one in `each` makes the service fail, in the middle of the others. */
function crashing(each: number, options: Options = {}) {
  const isCulprit = (event: number) => event % each === Math.floor(each / 2);
  const service = refusing(isCulprit, { status: 500, body: 'NullPointerException' });
  return { seconds: SECONDS, arrivals: 200, service, isCulprit, options };
}

describe('events that make the service fail with 500 wait alone, and hold up no other:', () => {
  it.each(few(2, [300, 10_000, 1_000]))('one event in %d', async (each) => {
    const { figures, stats } = await measure(`crash 1 in ${each}`, crashing(each));
    expect(figures).toMatchObject({ late: 0, innocentDeadLetters: 0, dropped: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(30_000);
    // Those of the last half minute may not be found yet. The list has at most 1,000.
    const old = figures.culprits - Math.ceil((30 * 200) / each);
    expect(figures.deadLetters + suspectsIn(stats)).toBeGreaterThanOrEqual(Math.min(1_000, old));
    if (each === 300) expect(figures.requestsPerCulprit).toBeLessThanOrEqual(27);
  });

  it('with `maxAgeMs`, none of the others expires', async () => {
    const options: Options = { storage: { maxAgeMs: 2 * MINUTE * 1_000 } };
    const scenario = { ...crashing(300, options), after: 5 * MINUTE };
    const { figures } = await measure('crash 1 in 300, maxAgeMs 2 min', scenario);
    expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, pending: 0 });
    expect(figures.dropped + figures.deadLetters).toBe(figures.culprits);
  });
});

describe('events that always get an answer that asks for fewer requests, in the middle of others, do not slow down delivery for long:', () => {
  it.each(
    few(2, [
      [300, 503],
      [1_000, 429],
      [300, 429],
      [10_000, 503],
      [10_000, 429],
      [1_000, 503],
    ] as const),
  )('one event in %d, with %d', async (each, status) => {
    const isCulprit = (event: number) => event % each === Math.floor(each / 2);
    const service = refusing(isCulprit, { status });
    // A few go on to arrive: where nothing is accepted any more, the service may be away.
    const arrivals = [
      { perSecond: 200, to: 5 * MINUTE },
      { perSecond: 1, from: 5 * MINUTE, to: 8 * MINUTE },
    ];
    const scenario = { seconds: 9 * MINUTE, arrivals, service, isCulprit };
    const { figures, stats } = await measure(`${status} 1 in ${each}`, scenario);
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0 });
    // The last one may not be found yet.
    expect(suspectsIn(stats)).toBeGreaterThanOrEqual(figures.culprits - 1);
    expect(figures.delays.max).toBeLessThanOrEqual(180_000);
    expect(figures.requestsPerCulprit).toBeLessThanOrEqual(each === 10_000 ? 110 : 32);
    expect(stats.rateLimit).toBeUndefined();
  });
});

describe('events that always get an answer that asks for a pause, in the middle of others, end: all others arrive, after a while', () => {
  it.each(
    few(2, [
      [1_000, 429, '1', 30_000, 'unordered'],
      [1_000, 503, '5', 60_000, 'per-customer'],
      [300, 503, '5', 400_000, 'unordered'],
      [1_000, 503, '60', 1_800_000, 'unordered'],
    ] as const),
  )(
    'one event in %d, with %d and Retry-After %s: within %d ms, %s',
    async (each, status, retryAfter, most, ordering) => {
      const isCulprit = (event: number) => event % each === Math.floor(each / 2);
      const service = refusing(isCulprit, { status, retryAfter });
      const arrivals = [
        { perSecond: 200, to: 5 * MINUTE },
        { perSecond: 1, from: 5 * MINUTE, to: 35 * MINUTE },
      ];
      const scenario = { seconds: 40 * MINUTE, arrivals, service, isCulprit, options: { ordering } };
      const { figures, stats } = await measure(
        `${status}, Retry-After ${retryAfter}, 1 in ${each}`,
        scenario,
      );
      expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0 });
      if (ordering === 'per-customer') expect(figures.outOfOrder).toBe(0);
      expect(suspectsIn(stats)).toBeGreaterThanOrEqual(figures.culprits - 1);
      expect(figures.delays.max).toBeLessThanOrEqual(most);
      expect(stats.rateLimit).toBeUndefined();
    },
  );
});

describe('one event that always gets an answer that asks for fewer requests holds up no other for long:', () => {
  const isCulprit = (event: number) => event === 600;
  it.each(
    few(2, [
      [503, '5'],
      [429, '5'],
      [503, '60'],
      [503, undefined],
      [429, undefined],
    ] as const),
  )('%d, Retry-After %s', async (status, retryAfter) => {
    const service = refusing(isCulprit, { status, ...(retryAfter && { retryAfter }) });
    const scenario = { seconds: 10 * MINUTE, after: 2 * MINUTE, arrivals: 10, service, isCulprit };
    const { figures, stats } = await measure(`always ${status}, Retry-After ${retryAfter}`, scenario);
    expect(figures).toMatchObject({ share: 1, late: 0, deadLetters: 0, dropped: 0, pending: 1 });
    expect(suspectsIn(stats)).toBe(1);
    expect(figures.delays.max).toBeLessThanOrEqual(retryAfter === '60' ? 180_000 : 90_000);
  });
});

describe('with strict order, an event that makes the service fail', () => {
  const culprit = 1_000;
  const isCulprit = (event: number) => event === culprit;
  const service = refusing(isCulprit, { status: 500, body: 'NullPointerException' });
  const strict = { seconds: 10 * MINUTE, after: MINUTE, arrivals: 20, service, isCulprit };

  it('stops all that comes after it, and `stats()` names it and the answer', async () => {
    const { figures, stats, trial } = await measure('crash, strict', {
      ...strict,
      options: { ordering: 'strict' },
    });
    expect(figures).toMatchObject({ delivered: culprit, deadLetters: 0, dropped: 0, outOfOrder: 0 });
    expect(trial.takenAt.findLastIndex((at) => at !== undefined)).toBe(culprit - 1);
    expect(suspectsIn(stats)).toBe(1);
    expect(JSON.stringify(stats.suspects)).toContain('500');
  });

  it('is set aside after as many tries as the user says', async () => {
    const options: Options = { ordering: 'strict', delivery: { maxTries: 5 } };
    const { figures, stats } = await measure('crash, strict, 5 tries', { ...strict, options });
    expect(figures).toMatchObject({ share: 1, outOfOrder: 0, dropped: 0 });
    expect(figures.deadLetters + suspectsIn(stats)).toBe(1);
  });
});
