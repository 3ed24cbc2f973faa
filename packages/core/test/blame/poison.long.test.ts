import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { LIMIT, measure } from './scenario.ts';
import { refusing } from './service.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const WORDS = 'blocked by rule 942100';

describe('one event that a firewall refuses does not hold up the others, and becomes a dead letter:', () => {
  const rates: [string, number, number, number, number][] = [
    // How often events come, for how long, which of them is refused, and how long another may take. In seconds.
    ['one event a second', 1, isFull ? 24 * HOUR : 20 * MINUTE, 600, 60],
    ['one event a minute', MINUTE, (isFull ? 24 : 8) * HOUR, 10, 60],
    ['one event an hour', HOUR, 5 * 24 * HOUR, 3, 2 * HOUR + MINUTE],
  ];

  for (const [name, every, seconds, culprit, most] of rates) {
    it.each([403, 404])(
      `${name}, %d`,
      async (status) => {
        const isCulprit = (event: number) => event === culprit;
        const service = refusing(isCulprit, { status, body: WORDS });
        const scenario = { seconds, after: 60, arrivals: 1 / every, service, isCulprit };
        const { figures, letters } = await measure(`poison ${status}, ${name}`, scenario);
        expect(figures).toMatchObject({ share: 1, pending: 0, dropped: 0, innocentDeadLetters: 0 });
        expect(figures.delays.max).toBeLessThanOrEqual(most * 1_000);
        expect(letters).toEqual([[culprit, WORDS]]);
      },
      LIMIT,
    );
  }

  // The service has accepted nothing yet: all that is known is one refusal.
  const firsts: [string, number, number][] = [
    // Which event is refused, and how many are tracked together at the start.
    ['the first event of a process', 0, 1],
    ['the first event of the first batch', 0, 100],
    ['an event amid the first batch', 50, 100],
    ['the last event of the first batch', 99, 100],
  ];

  for (const [name, culprit, together] of firsts) {
    it.each([403, 404])(`${name}, %d`, async (status) => {
      const isCulprit = (event: number) => event === culprit;
      const service = refusing(isCulprit, { status, body: WORDS });
      const arrivals = [
        { perSecond: together * 1_000, to: 0.001, stepMs: 1 },
        { perSecond: 2, from: 1 },
      ];
      const scenario = { seconds: 90, after: 60, arrivals, service, isCulprit };
      const { figures, letters } = await measure(`poison ${status}, ${name}`, scenario);
      expect(figures).toMatchObject({ share: 1, pending: 0, dropped: 0, innocentDeadLetters: 0 });
      expect(figures.delays.max).toBeLessThanOrEqual(5_000);
      expect(letters).toEqual([[culprit, WORDS]]);
    });
  }
});

describe('events that are refused one after the other do not hold up all others for long:', () => {
  it.each([
    // How many, the status, and how many milliseconds another one may take.
    [20, 400, 5_000],
    [50, 400, 100_000],
    [1_000, 400, 150_000],
    [200, 403, 100_000],
    [200, 500, 100_000],
    [200, 503, 30_000],
    [200, 429, 100_000],
  ])('%d of them, with %d', async (run, status, most) => {
    const isCulprit = (event: number) => event >= 600 && event < 600 + run;
    const service = refusing(isCulprit, { status });
    const scenario = { seconds: HOUR, after: MINUTE, arrivals: 10, service, isCulprit };
    const { figures } = await measure(`${run} in a row, ${status}`, scenario);
    expect(figures).toMatchObject({ share: 1, dropped: 0, innocentDeadLetters: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(most);
  });
});
