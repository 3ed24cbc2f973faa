import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { DEVICE_TIME } from '../../src/accept/event-text.ts';
import { pageViews, routedView } from '../../src/entries/page-views.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { TrackOptions } from '../../src/index.ts';

const { title } = document;
const ends: (() => void)[] = [];
let clock: VirtualClock;
let views: { payload: Record<string, unknown>; time: unknown }[];
let tracker: { track(name: string, payload?: object, options?: TrackOptions): void };

/** A component shows the path, until the returned function is called. */
function show(path: string): () => void {
  const end = routedView(tracker, path, clock);
  ends.push(end);
  return end;
}

/** A second passes, and the views are there. */
async function seen(): Promise<unknown[]> {
  await clock.advance(1_000);
  return views.map(({ payload }) => payload.path);
}

beforeEach(() => {
  clock = new VirtualClock();
  views = [];
  tracker = {
    track: (_name, payload, options) => views.push({ payload: { ...payload }, time: options?.[DEVICE_TIME] }),
  };
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  Reflect.deleteProperty(document, 'prerendering');
  document.title = title;
});

describe('the view of a path that a router names', () => {
  it('has the title that comes later, and the time of the path', async () => {
    const time = clock.now();
    show('/shop');
    await clock.advance(400);
    expect(views).toEqual([]);
    document.title = 'Shop';
    const { referrer } = document;
    await vi.waitFor(
      () => expect(views).toMatchObject([{ payload: { title: 'Shop', path: '/shop', referrer }, time }]),
      PATIENCE,
    );
  });

  it('is tracked before the next path, which refers to it', async () => {
    show('/shop')();
    show('/cart');
    expect(await seen()).toEqual(['/shop', '/cart']);
    expect(views[1]?.payload.referrer).toBe('/shop');
  });

  it('counts once for each of two components, also where both start again at once', async () => {
    for (const end of ['/shop', '/shop/cart', '/shop'].map(show)) end();
    for (const path of ['/shop', '/shop/cart', '/shop']) show(path);
    expect(await seen()).toEqual(['/shop', '/shop/cart']);
  });

  it('does not count again where another component shows the same path later', async () => {
    const end = show('/shop');
    expect(await seen()).toEqual(['/shop']);
    end();
    await Promise.resolve();
    show('/shop');
    expect(await seen()).toEqual(['/shop']);
  });

  it('is not tracked while the page is prerendered, and once when it is shown', async () => {
    let prerendering = true;
    Object.defineProperty(document, 'prerendering', { configurable: true, get: () => prerendering });
    show('/shop')();
    show('/cart')();
    show('/cart');
    expect(await seen()).toEqual([]);
    prerendering = false;
    document.dispatchEvent(new Event('prerenderingchange'));
    expect(await seen()).toEqual(['/cart']);
  });

  it('counts twice where a guard sends back at once', async () => {
    const login = show('/login');
    expect(await seen()).toEqual(['/login']);
    login();
    show('/account')();
    show('/login');
    expect(await seen()).toEqual(['/login', '/account', '/login']);
  });

  it('does not count again where its component is made anew beside one that changes', async () => {
    const [section, page] = [show('/shop'), show('/shop/1')];
    await seen();
    section();
    page();
    show('/shop/2');
    show('/shop');
    expect(await seen()).toEqual(['/shop', '/shop/1', '/shop/2']);
  });

  it('counts again when the page comes back from the back/forward cache', async () => {
    show('/shop');
    show('/shop/cart');
    show('/shop');
    expect(await seen()).toEqual(['/shop', '/shop/cart']);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(await seen()).toEqual(['/shop', '/shop/cart', '/shop', '/shop/cart']);
  });

  it('keeps its own title where that of the next one is there before it', async () => {
    document.title = 'Shop';
    const end = show('/shop');
    await clock.advance(300);
    document.title = 'Cart';
    end();
    show('/cart');
    await seen();
    expect(views.map(({ payload }) => payload.title)).toEqual(['Shop', 'Cart']);
  });

  it('waits for its title where a view of another kind ends as it begins', async () => {
    for (const [first, next] of [
      [() => pageViews(tracker, clock), () => show('/shop')],
      [() => show('/cart'), () => pageViews(tracker, clock)],
    ] as const) {
      views = [];
      document.title = 'Before';
      const end = first();
      await seen();
      const { length } = views;
      end();
      ends.push(next());
      await clock.advance(300);
      expect(views).toHaveLength(length);
      document.title = 'After';
      await vi.waitFor(() => expect(views.at(-1)?.payload.title).toBe('After'), PATIENCE);
      for (const stop of ends.splice(0)) stop();
    }
  });

  it('is tracked when the last component is gone', async () => {
    show('/shop')();
    await Promise.resolve();
    expect(views).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });
});
