import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { server } from 'vitest/browser';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import type { TrackerOptions } from '../../../src/index.ts';
import { guards } from '../../../src/parts/guards.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { bundleUrl } from '../../bench/bundle-url.ts';

/** How long other pages wait for the answer to a request, in milliseconds. */
const LEASE_MS = 30_000;

type Core = typeof import('../../../src/entries/testing/testing.ts');

const { baseUrl, apiUrl, apiKey } = inject('emulator');
const ada = { correlationValue: 'ada@example.com' };
/** The same service under another host name, and so with its own journal: no other page finds what a page leaves. */
const service = { baseUrl: baseUrl.replace('127.0.0.1', 'localhost'), apiKey, correlationKey: 'email' };
/** A page that sends nothing before it is left or hidden. */
const quiet = { ...service, batch: { maxWaitMs: 3_600_000 } };
/** Nobody listens at this address. */
const nowhere = 'http://127.0.0.1:1';
const core = bundleUrl('testing');

const frames: HTMLIFrameElement[] = [];

afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** Opens a page in a frame, with a tracker in it. */
async function openPage(options: TrackerOptions) {
  const frame = document.createElement('iframe');
  frame.src = '/__vitest_blank__';
  const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  frames.push(frame);
  await isLoaded;
  const view = frame.contentWindow as (Window & { core?: Promise<Core> }) | null;
  if (view === null) throw new Error('the frame has no window');
  const script = view.document.createElement('script');
  script.textContent = `window.core = import(${JSON.stringify(core)})`;
  view.document.body.append(script);
  const tracker = (await view.core)?.createTracker(options);
  if (tracker === undefined) throw new Error('the script did not run');
  await tracker.flush();
  return { view, tracker };
}

/** Leaves a page. Resolves once it is gone. */
async function leave(view: Window, address: string = 'about:blank'): Promise<void> {
  const isGone = new Promise((resolve) => view.addEventListener('unload', resolve));
  view.location.href = address;
  await isGone;
}

/** What happens to a page when the user switches to another tab, or back. */
function setVisibility(view: Window, visibilityState: 'hidden' | 'visible'): void {
  Object.defineProperty(view.document, 'visibilityState', { value: visibilityState, configurable: true });
  view.document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}

/**
 * Visits the site again and again, until a visit finds this many events: it stays so long that no lease runs any more. Each visit has
 * more time to find them.
 */
async function expectStored(options: TrackerOptions, stored: number): Promise<void> {
  let visits = 0;
  const find = async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + 2 * LEASE_MS * visits };
    const next = createTracker({ ...options, clock });
    visits += 1;
    await next.flush({ timeoutMs: 50 * visits });
    const { recovered } = next.stats();
    await next.close({ timeoutMs: 0 });
    return recovered;
  };
  await expect.poll(find).toBe(stored);
}

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

describe('a page that navigates in the task of its last calls', () => {
  it('has sent what fits', async () => {
    const name = `sent-${uuid()}`;
    const { view, tracker } = await openPage(service);
    for (let number = 0; number < 150; number += 1) tracker.track(name, { number }, ada);
    await leave(view);
    await expect.poll(() => count(name)).toMatchObject({ unique: 150 });
  });

  it.runIf('onpageswap' in globalThis || 'navigation' in globalThis)(
    'leaves them to the next page, if that is of the same origin',
    async () => {
      const name = `followed-${uuid()}`;
      const { view, tracker } = await openPage(quiet);
      const { sent } = tracker.stats().requests;
      for (let number = 0; number < 100; number += 1) tracker.track(name, { number }, ada);
      await tracker.durable();
      for (let number = 100; number < 150; number += 1) tracker.track(name, { number }, ada);
      await leave(view, '/__vitest_blank__');
      expect(tracker.stats().requests.sent).toBe(sent);
      const next = createTracker(service);
      await expect.poll(() => count(name)).toEqual({ unique: 150, received: 150 });
      await next.close();
    },
  );

  it('does not send again what was under way: the browser goes on with it, though it seems to fail', async () => {
    const ends: (() => void)[] = [];
    const post = () =>
      new Promise<Outcome>((resolve) => {
        ends.push(() =>
          resolve({ kind: 'failed', cause: new TypeError('Failed to fetch'), maybeSent: true }),
        );
      });
    const { view, tracker } = await openPage({
      ...{ ...service, correlationKey: `under-way-${uuid()}`, random: () => 0 },
      ...{ transport: { post, close: async () => {} }, parts: { guards } },
    });
    tracker.track('click', {}, ada);
    await expect.poll(() => ends.length).toBe(1);
    const { locks } = view.navigator;
    const request = vi.spyOn(locks, 'request');
    view.dispatchEvent(new Event('pageswap'));
    ends[0]?.();
    await expect.poll(() => tracker.stats().lastError).toBeDefined();
    tracker.track('late', {}, ada);
    await tracker.durable();
    await tracker.flush({ timeoutMs: 200 });
    expect(ends.length).toBe(1);
    // Nor does it ask again and again whether it may.
    expect(request.mock.calls.length).toBeLessThan(5);
  });

  it('leaves them to the next page without a lease, if there is no network', async () => {
    const name = `offline-${uuid()}`;
    const { view, tracker } = await openPage(quiet);
    const { sent } = tracker.stats().requests;
    Object.defineProperty(view.navigator, 'onLine', { value: false, configurable: true });
    for (let number = 0; number < 150; number += 1) tracker.track(name, { number }, ada);
    await leave(view);
    expect(tracker.stats().requests.sent).toBe(sent);
    const next = createTracker(service);
    await expect.poll(() => count(name)).toEqual({ unique: 150, received: 150 });
    await next.close();
  });

  // WebKit aborts the transactions of a page that ends, and a spill has a limit of 256 Ki characters.
  it.skipIf(server.browser === 'webkit')('has stored all of them', async () => {
    const options = { baseUrl: nowhere, correlationKey: `all-${uuid()}` };
    const { view, tracker } = await openPage(options);
    for (let number = 0; number < 2_000; number += 1) tracker.track('call', { number }, ada);
    await leave(view);
    await expectStored(options, 2_000);
  });

  it.each(['pagehide', 'visibilitychange'])(
    'has stored what it tracks while it goes, on %s',
    async (type) => {
      const options = { baseUrl: nowhere, correlationKey: `going-${uuid()}` };
      const { view, tracker } = await openPage(options);
      view.addEventListener(type, () => tracker.track(type, {}, ada));
      await leave(view);
      await expectStored(options, 1);
    },
  );
});

describe('a page that is hidden, and lives on', () => {
  it('sends what its own listeners track, before they are over, and sees the answer', async () => {
    const name = `hidden-${uuid()}`;
    const { view, tracker } = await openPage(service);
    view.document.addEventListener('visibilitychange', () => tracker.track(name, {}, ada));
    const { sent } = tracker.stats().requests;
    setVisibility(view, 'hidden');
    expect(tracker.stats().requests.sent).toBe(sent + 1);
    await expect.poll(() => tracker.stats().pending).toBe(0);
    expect(await count(name)).toEqual({ unique: 1, received: 1 });
  });

  it('does not ask whether the service is back before it is seen again, as others do', async () => {
    const options = { baseUrl: nowhere, delivery: { retryBaseMs: 1, retryMaxMs: 10 } };
    const { view, tracker } = await openPage({ ...options, correlationKey: `quiet-${uuid()}` });
    const other = createTracker({ ...options, correlationKey: `loud-${uuid()}` });
    for (const each of [tracker, other]) each.track('waits', {}, ada);
    await expect.poll(() => tracker.stats().breaker).toBe('open');
    setVisibility(view, 'hidden');
    // One request may still be pending.
    await expect.poll(() => tracker.stats().breaker).toBe('open');
    const [quiet, loud] = [tracker, other].map((each) => each.stats().requests.sent);
    await expect.poll(() => other.stats().requests.sent).toBeGreaterThan((loud ?? 0) + 5);
    expect(tracker.stats().requests.sent).toBe(quiet);
    setVisibility(view, 'visible');
    await expect.poll(() => tracker.stats().requests.sent).toBeGreaterThan(quiet ?? 0);
    await other.close({ timeoutMs: 0 });
  });
});

describe('a page that a service worker controls', () => {
  it('asks for it, as it is hidden, where more waits than its last requests take', async () => {
    // Its first retry is far in the future.
    const delivery = { retryBaseMs: 60_000 };
    const options = { baseUrl: nowhere, correlationKey: `waits-${uuid()}`, delivery };
    const [idle, busy] = [await openPage(service), await openPage(options)];
    const asked: string[] = [];
    for (const { view } of [idle, busy]) {
      const registration = { sync: { register: async (tag: string) => void asked.push(tag) } };
      const serviceWorker = { controller: {}, ready: Promise.resolve(registration) };
      Object.defineProperty(view.navigator, 'serviceWorker', { value: serviceWorker, configurable: true });
    }
    setVisibility(idle.view, 'hidden');
    setVisibility(idle.view, 'visible');
    idle.tracker.track('sent', {}, ada);
    setVisibility(idle.view, 'hidden');
    await expect.poll(() => idle.tracker.stats().pending).toBe(0);
    expect(asked).toEqual([]);
    busy.tracker.track('waits', {}, ada);
    await expect.poll(() => busy.tracker.stats().requests.failed).toBe(1);
    expect(busy.tracker.stats().breaker).toBe('closed');
    setVisibility(busy.view, 'hidden');
    await expect.poll(() => asked).toEqual(['sluice']);
  });
});
