import { describe, expect, it } from 'vitest';
import { answered } from '../bench/scripted-transport.ts';
import {
  BLOCKED,
  beOfflineForAnHour,
  HOUR,
  MINUTE,
  mostInAMinute,
  ProbedPage,
  SECOND,
} from './probed-page.ts';

describe('a page without a network', () => {
  it.each([0.5, 1])(
    'asks for it at most once a minute, after a short while, for an hour (random: %s)',
    async (random) => {
      await expect(beOfflineForAnHour(() => random)).resolves.toBeUndefined();
    },
  );

  it('asks no more than twice in a minute, and once in most, where the browser says so all the time', async () => {
    const page = new ProbedPage();
    await page.use(10 * MINUTE);
    const from = page.origin.times.length;
    for (let passed = 0; passed < HOUR; passed += 5 * SECOND) {
      page.fire('online');
      await page.origin.pass(5 * SECOND, 5 * SECOND);
    }
    const times = page.origin.times.slice(from);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(61);
  });
});

describe('a page whose requests are blocked', () => {
  it('becomes quiet, says why, keeps all, and delivers it once they are not', async () => {
    const page = new ProbedPage();
    page.answer = BLOCKED;
    await page.use(2 * HOUR);
    expect(page.tab.tracker.stats()).toMatchObject({
      pause: { reason: 'blocked', status: 0 },
      maybeDuplicate: 0,
    });
    expect(page.sizes.length).toBeLessThanOrEqual(2 * 4 + 6);
    page.answer = answered(200);
    await page.origin.pass(18 * MINUTE, SECOND);
    expect(page.tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 720, pause: undefined });
  });
});
