import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { DEVICE_TIME } from '../../src/accept/event-text.ts';
import { uuid } from '../../src/base/uuid.ts';
import { pageViews } from '../../src/entries/page-views.ts';
import { recordingTracker } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createTracker, type TrackOptions } from '../../src/index.ts';

/** The page of the tests. They leave it as it was. */
const home = location.pathname + location.search + location.hash;
const title = document.title;
const stops: (() => void)[] = [];
let clock: VirtualClock;
let views: { name: string; payload: Record<string, unknown>; at: unknown }[];
let tracker: { track(name: string, payload?: object, options?: TrackOptions): void };

/** Starts to track page views. It stops after the test. */
function start(): () => void {
  const stop = pageViews(tracker, clock);
  stops.push(stop);
  return stop;
}

/** A second passes, and the views are there. */
async function seen(): Promise<unknown[]> {
  await clock.advance(1_000);
  return views.map(({ payload }) => payload.path);
}

function moved(type: 'popstate' | 'hashchange'): Promise<unknown> {
  return new Promise((resolve) => addEventListener(type, resolve, { once: true }));
}

beforeEach(() => {
  clock = new VirtualClock();
  views = [];
  tracker = {
    track: (name, payload, options) =>
      views.push({ name, payload: { ...payload }, at: options?.[DEVICE_TIME] }),
  };
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  history.replaceState(null, '', home);
  document.title = title;
});

const ways = ['with the Navigation API', 'without it'].filter(
  (_, way) => way > 0 || 'navigation' in globalThis,
);

describe.each(ways)('page views, %s', (way) => {
  beforeEach(() => {
    if (way === 'without it') vi.stubGlobal('navigation', undefined);
  });

  it('are tracked for the page that is open, with its title, its path and its referrer', async () => {
    const at = clock.now();
    start();
    expect(await seen()).toEqual([home]);
    expect(views).toEqual([
      { name: 'page_view', payload: { title, path: home, referrer: document.referrer }, at },
    ]);
  });

  it('are tracked for each new address, and refer to the path before', async () => {
    start();
    history.pushState(null, '', '/a?tab=1');
    history.replaceState(null, '', '/b');
    history.pushState(null, '', '/b#c');
    expect(await seen()).toEqual([home, '/a?tab=1', '/b', '/b#c']);
    expect(views.slice(1).map(({ payload }) => payload.referrer)).toEqual([home, '/a?tab=1', '/b']);
  });

  it('are not tracked where the address stays the same', async () => {
    start();
    history.replaceState({ scroll: 7 }, '');
    history.pushState(null, '', home);
    expect(await seen()).toEqual([home]);
  });

  it('are tracked for back and forward, and for the hash', async () => {
    start();
    history.pushState(null, '', '/a');
    let change = moved('popstate');
    history.back();
    await change;
    change = moved('popstate');
    history.forward();
    await change;
    change = moved('hashchange');
    location.hash = 'part';
    await change;
    expect(await seen()).toEqual([home, '/a', home, '/a', '/a#part']);
  });

  it('have the title that a router sets after the address, and the time of the address', async () => {
    start();
    expect(await seen()).toHaveLength(1);
    const at = clock.now();
    history.pushState(null, '', '/a');
    await clock.advance(400);
    expect(views).toHaveLength(1);
    document.title = 'The page A';
    await vi.waitFor(() => expect(views).toHaveLength(2), PATIENCE);
    expect(views[1]).toMatchObject({ payload: { title: 'The page A', path: '/a' }, at });
    await clock.advance(10_000);
    expect(views).toHaveLength(2);
  });

  it('are tracked at once when the page is hidden or left', () => {
    start();
    history.pushState(null, '', '/a');
    expect(views).toHaveLength(1);
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    expect(views).toHaveLength(2);
    history.pushState(null, '', '/b');
    document.dispatchEvent(new Event('visibilitychange'));
    expect(views).toHaveLength(3);
  });

  it('are tracked again when the page comes back from the back/forward cache', async () => {
    start();
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
    expect(await seen()).toEqual([home]);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(await seen()).toEqual([home, home]);
    expect(views[1]?.payload.referrer).toBe('');
  });

  it('are not tracked while the page is prerendered, and once when it is shown', async () => {
    let prerendering = true;
    Object.defineProperty(document, 'prerendering', { configurable: true, get: () => prerendering });
    start();
    history.replaceState(null, '', '/a');
    expect(await seen()).toEqual([]);
    prerendering = false;
    document.dispatchEvent(new Event('prerenderingchange'));
    expect(await seen()).toEqual(['/a']);
    Reflect.deleteProperty(document, 'prerendering');
  });

  it('are counted once where two parts of a page ask for them, until both have stopped', async () => {
    const stop = start();
    const stopOther = start();
    history.pushState(null, '', '/a');
    expect(await seen()).toEqual([home, '/a']);
    stop();
    stop();
    history.pushState(null, '', '/b');
    expect(await seen()).toEqual([home, '/a', '/b']);
    stopOther();
    history.pushState(null, '', '/c');
    expect(await seen()).toEqual([home, '/a', '/b']);
  });

  it('belong to the customer who saw them', async () => {
    const real = recordingTracker();
    const { identify, reset } = real;
    real.identify('ada@example.com');
    stops.push(pageViews(real, clock));
    history.pushState(null, '', '/ada');
    real.reset();
    real.identify('bob@example.com');
    history.pushState(null, '', '/bob');
    real.identify('eve@example.com');
    await clock.advance(1_000);
    expect(real.events().map(({ payload, correlationValue }) => [payload?.path, correlationValue])).toEqual([
      [home, 'ada@example.com'],
      ['/ada', 'ada@example.com'],
      ['/bob', 'bob@example.com'],
    ]);
    expect([real.identify, real.reset]).toEqual([identify, reset]);
  });

  it('are tracked where the tracker is frozen', async () => {
    tracker = Object.freeze({ ...tracker, identify() {} });
    start();
    expect(await seen()).toEqual([home]);
  });

  it('lose none that was seen before they stopped', async () => {
    start()();
    await vi.waitFor(() => expect(views).toHaveLength(1), PATIENCE);
    expect(clock.timers).toBe(0);
  });

  it('wait for the title where they stop and start again at once', async () => {
    start()();
    start();
    await Promise.resolve();
    expect(views).toEqual([]);
    document.title = 'Later';
    await vi.waitFor(() => expect(views).toMatchObject([{ payload: { title: 'Later' } }]), PATIENCE);
  });

  it('leave the wrappers of others in place, and history as it was', async () => {
    const { pushState, replaceState } = history;
    const stop = start();
    stop();
    expect([history.pushState, history.replaceState]).toEqual([pushState, replaceState]);
    expect(Object.keys(history)).toEqual([]);

    const calls: unknown[] = [];
    const stopAgain = start();
    const inner = history.pushState;
    // Another library, which came later.
    const theirs = function (this: History, ...args: Parameters<History['pushState']>) {
      calls.push(args[2]);
      inner.apply(this, args);
    };
    history.pushState = theirs;
    history.pushState(null, '', '/a');
    stopAgain();
    expect(history.pushState).toBe(theirs);
    history.pushState(null, '', '/b');
    expect(calls).toEqual(['/a', '/b']);
    expect(location.pathname).toBe('/b');
    expect(await seen()).toEqual([home, '/a']);
    // The library takes itself out of the chain.
    history.pushState = inner;
    history.pushState(null, '', '/c');
    expect(location.pathname).toBe('/c');
    Reflect.deleteProperty(history, 'pushState');
  });

  it('arrive at the service', async () => {
    const { baseUrl, apiUrl, apiKey } = inject('emulator');
    const real = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: 'memory' });
    real.identify('ada@example.com');
    const path = `/views/${uuid()}`;
    history.replaceState(null, '', path);
    const stop = pageViews(real);
    document.title = 'Arrived';
    await vi.waitFor(() => expect(real.stats().accepted).toBe(1), PATIENCE);
    stop();
    await real.close();
    const answer = await fetch(`${apiUrl}/emulator/events/export?name=page_view`, {
      headers: { authorization: `Api-Key ${apiKey}` },
    });
    const lines = (await answer.text()).trimEnd().split('\n');
    const payloads = lines.map((line) => JSON.parse(line).payload);
    expect(payloads).toContainEqual({ title: 'Arrived', path, referrer: document.referrer });
  });
});

it('page views of two trackers are independent', async () => {
  const other = { track: vi.fn() };
  start();
  stops.push(pageViews(other, clock));
  await clock.advance(1_000);
  expect([views.length, other.track.mock.calls.length]).toEqual([1, 1]);
});
