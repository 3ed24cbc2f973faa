import { describe, expect, it } from 'vitest';
import { isFull, LIMIT, measure } from './scenario.ts';
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
});
