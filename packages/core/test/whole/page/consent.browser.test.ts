import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker, type Tracker, type TrackerOptions } from '../../../src/index.ts';
import { drain } from '../../../src/page/service-worker.ts';
import { guards } from '../../../src/parts/guards.ts';
import { bundleUrl } from '../../bench/bundle-url.ts';
import { answered } from '../../bench/scripted-transport.ts';

type Core = typeof import('../../../src/index.ts');

const core = bundleUrl('index');
const ada = { correlationValue: 'ada@example.com' };

const frames: HTMLIFrameElement[] = [];
const trackers: Tracker[] = [];

afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  for (const frame of frames.splice(0)) frame.remove();
});

/** How often the service took an event of each name. */
const taken = new Map<string, number>();

/** Options of an account that only one test uses. */
function account(): TrackerOptions {
  const post: NonNullable<TrackerOptions['transport']>['post'] = async ({ body }) => {
    for (const { event } of JSON.parse(new TextDecoder().decode(body)).batch)
      taken.set(event, (taken.get(event) ?? 0) + 1);
    return answered(200);
  };
  return {
    ...{ baseUrl: `https://service.example/${uuid()}`, correlationKey: 'email', batch: { maxWaitMs: 1 } },
    transport: { post, close: async () => {} },
    parts: { guards },
  };
}

/** Opens another page of this origin, in a frame. */
async function openPage(options: TrackerOptions, prepare: (page: Document) => void = () => {}) {
  const frame = document.createElement('iframe');
  frame.src = '/__vitest_blank__';
  const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  frames.push(frame);
  await isLoaded;
  const view = frame.contentWindow as (Window & { core?: Promise<Core> }) | null;
  if (view === null) throw new Error('the frame has no window');
  prepare(view.document);
  const script = view.document.createElement('script');
  script.textContent = `window.core = import(${JSON.stringify(core)})`;
  view.document.body.append(script);
  const tracker = (await view.core)?.createTracker(options);
  if (tracker === undefined) throw new Error('the script did not run');
  trackers.push(tracker);
  return { view, tracker, page: view.document };
}

function open(options: TrackerOptions): Tracker {
  const tracker = createTracker(options);
  trackers.push(tracker);
  return tracker;
}

function received(name: string): number {
  return taken.get(name) ?? 0;
}

/** Tracks an event and waits until it has ended. Returns how it ended. */
async function outcome(tracker: Tracker): Promise<'delivered' | 'denied' | undefined> {
  const before = tracker.stats();
  tracker.track('asked', {}, ada);
  await expect.poll(() => tracker.stats().pending).toBe(0);
  const { delivered, dropped } = tracker.stats();
  if (delivered > before.delivered) return 'delivered';
  return dropped.denied > before.dropped.denied ? 'denied' : undefined;
}

describe('consent denied in one page', () => {
  it('holds in all that are open, for another tracker of the page too', async () => {
    const options = account();
    const here = open(options);
    const besides = open(options);
    const { tracker: there } = await openPage(options);
    expect(await outcome(there)).toBe('delivered');
    here.setConsent('denied');
    await expect.poll(() => outcome(there)).toBe('denied');
    expect([await outcome(here), await outcome(besides)]).toEqual(['denied', 'denied']);
  });

  it('holds in a page that is opened later from its first event on, whatever its options say', async () => {
    const options = account();
    open(options).setConsent('denied');
    for (const consent of ['granted', 'pending', undefined] as const) {
      const later = open({ ...options, consent });
      later.track('asked', {}, ada);
      expect(later.stats()).toMatchObject({ accepted: 1, pending: 0, dropped: { denied: 1 } });
      later.setConsent('pending');
      expect(await outcome(later)).toBe('denied');
    }
  });

  it('drops what earlier pages stored, and no service worker sends what a page stores late', async () => {
    const options = account();
    const name = `denied-${uuid()}`;
    const transport = { post: () => new Promise<never>(() => {}), close: async () => {} };
    const earlier = open({ ...options, transport });
    open(options).setConsent('denied');
    // This page heard of nothing yet.
    earlier.track(name, {}, ada);
    await earlier.durable().catch(() => undefined);
    await earlier.close({ timeoutMs: 0 });
    const { baseUrl, correlationKey } = options;
    // It rejects if it cannot send, or if the storage of a busy browser takes too long.
    await vi.waitFor(() => drain({ baseUrl, correlationKey }), PATIENCE);
    expect(received(name)).toBe(0);
  });

  it('is lifted for all pages by setConsent("granted") in one', async () => {
    const options = account();
    const here = open(options);
    const { tracker: there } = await openPage(options);
    here.setConsent('denied');
    await expect.poll(() => outcome(there)).toBe('denied');
    here.setConsent('granted');
    await expect.poll(() => outcome(there)).toBe('delivered');
    expect(await outcome(open(options))).toBe('delivered');
    const pending = open({ ...options, consent: 'pending' });
    pending.track('asked', {}, ada);
    expect(pending.stats()).toMatchObject({ pending: 1 });
  });

  it('holds for one account of the origin, and not where it is an option', async () => {
    const options = account();
    await open({ ...options, consent: 'denied' }).close();
    expect(await outcome(open(options))).toBe('delivered');
    open(account()).setConsent('denied');
    expect(await outcome(open(options))).toBe('delivered');
  });

  it('holds in its own page where nothing can be stored', async () => {
    const options = account();
    const { tracker, view } = await openPage(options);
    Object.defineProperty(view, 'localStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    tracker.setConsent('denied');
    expect(await outcome(tracker)).toBe('denied');
    tracker.setConsent('granted');
    expect(await outcome(tracker)).toBe('delivered');
  });
});

describe('a page that is prerendered', () => {
  /** As a browser does it, which prerenders no frames. */
  function prerender(page: Document): void {
    Object.defineProperty(page, 'prerendering', { value: true, configurable: true });
  }

  function activate(page: Document): void {
    Object.defineProperty(page, 'prerendering', { value: false });
    page.dispatchEvent(new Event('prerenderingchange'));
  }

  async function names(): Promise<unknown[]> {
    return (await indexedDB.databases()).map(({ name }) => name).sort();
  }

  it('stores and sends nothing until it is shown, and then all', async () => {
    const options = account();
    const name = `prerendered-${uuid()}`;
    const before = await names();
    const { tracker, page } = await openPage(options, prerender);
    tracker.track(name, {}, ada);
    tracker.track(name);
    await tracker.flush({ timeoutMs: 1_000 });
    await expect(tracker.durable()).rejects.toThrow('not durable');
    expect(tracker.stats()).toMatchObject({ pending: 2, delivered: 0, stored: 0 });
    expect([received(name), await names()]).toEqual([0, before]);
    activate(page);
    tracker.identify('ada@example.com');
    await expect.poll(() => tracker.stats().delivered).toBe(2);
    expect(received(name)).toBe(2);
  });

  it('leaves alone what other pages left until it is shown', async () => {
    const options = account();
    const name = `left-${uuid()}`;
    const transport = { post: () => new Promise<never>(() => {}), close: async () => {} };
    const earlier = open({ ...options, transport, batch: { maxWaitMs: 60_000 } });
    earlier.track(name, {}, ada);
    await earlier.durable();
    await earlier.close({ timeoutMs: 0 });
    const { tracker, page } = await openPage(options, prerender);
    await tracker.flush({ timeoutMs: 500 });
    expect([tracker.stats().recovered, received(name)]).toEqual([0, 0]);
    activate(page);
    await expect.poll(() => received(name)).toBe(1);
  });

  it('drops its events silently if it is never shown', async () => {
    const options = account();
    const name = `discarded-${uuid()}`;
    const { tracker, view } = await openPage(options, prerender);
    tracker.track(name, {}, ada);
    await tracker.flush({ timeoutMs: 500 });
    trackers.pop();
    const isGone = new Promise((resolve) => view.addEventListener('unload', resolve));
    view.location.href = 'about:blank';
    await isGone;
    const next = open(options);
    await next.flush();
    expect([next.stats().recovered, received(name)]).toEqual([0, 0]);
  });

  it.each(['granted', 'denied'] as const)(
    'follows a consent that is %s before it is shown',
    async (consent) => {
      const options: TrackerOptions = { ...account(), consent: 'pending' };
      const { tracker, page } = await openPage(options, prerender);
      tracker.setConsent(consent);
      tracker.track('asked', {}, ada);
      expect(tracker.stats()).toMatchObject({ pending: 1 });
      activate(page);
      await expect.poll(() => tracker.stats().pending).toBe(0);
      const { delivered, dropped } = tracker.stats();
      expect([delivered, dropped.denied]).toEqual(consent === 'granted' ? [1, 0] : [0, 1]);
    },
  );
});
