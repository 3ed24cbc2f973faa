import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answered } from '../bench/scripted-transport.ts';
import { BLOCKED, beOfflineForAnHour, HOUR, MINUTE, ProbedPage, SECOND } from './probed-page.ts';

describe('a page without a network', () => {
  // The long tests have other random numbers.
  it('asks for it at most once a minute, after a short while, for an hour', async () => {
    await expect(beOfflineForAnHour(() => 0)).resolves.toBeUndefined();
  });

  it('asks with one small request once the browser says so, and after that ever more seldom', async () => {
    const page = new ProbedPage();
    page.fire('offline');
    page.tab.track(2_000);
    await page.origin.pass(15 * SECOND, 100);
    expect(page.sizes.length).toBeLessThanOrEqual(4);
    expect(new Set(page.sizes)).toEqual(new Set([1]));
    expect(page.tab.tracker.stats()).toMatchObject({ pending: 2_000, delivered: 0 });
  });

  it('delivers all where there is one, whatever the browser says', async () => {
    const page = new ProbedPage();
    page.answer = answered(200);
    page.fire('offline');
    page.tab.track(2_000);
    await page.origin.pass(3 * SECOND, 100);
    expect(page.tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 2_000, breaker: 'closed' });
  });

  it('is not asked sooner where the browser says once more that there is none', async () => {
    const page = new ProbedPage();
    await page.use(10 * MINUTE);
    const { length } = page.sizes;
    page.fire('offline');
    await page.origin.pass(5 * SECOND);
    expect([page.sizes.length, page.tab.tracker.stats().breaker]).toEqual([length, 'open']);
  });

  it.each([1, 60])(
    'asks at once when the browser says that it may be back, and delivers all: %i',
    async (count) => {
      const page = new ProbedPage();
      page.tab.track(count);
      await page.origin.pass(10 * MINUTE, SECOND);
      expect(page.tab.tracker.stats().breaker).toBe('open');
      page.answer = answered(200);
      page.fire('online');
      await page.origin.pass(1);
      expect(page.tab.tracker.stats().delivered).toBeGreaterThan(0);
      await page.origin.pass(2 * SECOND, 100);
      expect(page.tab.tracker.stats()).toMatchObject({ pending: 0, delivered: count });
    },
  );

  it('asks at once when it is seen again, and not sooner than it would have otherwise after that', async () => {
    const document = { visibilityState: 'visible' };
    vi.stubGlobal('document', document);
    onTestFinished(() => void vi.unstubAllGlobals());
    const page = new ProbedPage();
    await page.use(10 * MINUTE);
    const { length } = page.sizes;
    page.fire('visibilitychange');
    await page.origin.pass(1);
    expect(page.sizes).toHaveLength(length + 1);
    page.fire('visibilitychange');
    await page.origin.pass(30 * SECOND, SECOND);
    expect(page.sizes).toHaveLength(length + 1);
  });

  it('leaves a service alone that has asked for time, whatever the browser says of the network', async () => {
    const page = new ProbedPage();
    page.answer = answered(503, { retryAfter: '600' });
    page.tab.track(1);
    await page.origin.pass(2 * SECOND, 100);
    page.fire('online');
    await page.origin.pass(5 * MINUTE, SECOND);
    expect(page.sizes).toHaveLength(1);
  });
});

describe('a page whose requests are blocked', () => {
  it('asks when the browser says that the network may be back', async () => {
    const page = new ProbedPage();
    page.answer = BLOCKED;
    await page.use(HOUR);
    const { length } = page.sizes;
    page.fire('online');
    await page.origin.pass(1);
    expect(page.sizes).toHaveLength(length + 1);
  });
});
