import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { server } from 'vitest/browser';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker } from '../../../src/index.ts';

const { apiUrl, apiKey, baseUrl } = inject('emulator');
// A variable of its own: inside one call, Vite would take this for the address of a file.
const here = import.meta.url;
const folder = new URL('../../offline-site/', here);
const readEvents = globalThis.fetch;
let registration: ServiceWorkerRegistration;
let frame: HTMLIFrameElement;

beforeAll(async () => {
  registration = await navigator.serviceWorker.register(new URL('worker.js', folder), {
    scope: folder.pathname,
  });
  await vi.waitFor(() => expect(registration.active?.state).toBe('activated'), PATIENCE);
  frame = document.createElement('iframe');
  frame.src = new URL('page.html', folder).href;
  document.body.append(frame);
  const read = async () => (await frame.contentWindow?.fetch(folder))?.text();
  await setOffline('page.html');
  await vi.waitFor(async () => expect(await read()).toContain('You are offline'), PATIENCE);
  // The tracker's requests go through the worker, as from any page of that site.
  vi.stubGlobal('fetch', frame.contentWindow?.fetch.bind(frame.contentWindow));
});

afterAll(async () => {
  vi.unstubAllGlobals();
  frame.remove();
  await registration.unregister();
  await caches.delete('offline-site');
});

/** Firefox does not show requests with `keepalive` to a service worker. A large event goes without it. */
const text = server.browser === 'firefox' ? 'x'.repeat(70_000) : '';

/** @param answer The cached file with which the worker answers. Empty: it asks the network. */
function setOffline(answer: string): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve();
    registration.active?.postMessage(answer, [port2]);
  });
}

async function count(name: string): Promise<unknown> {
  const headers = { authorization: `Api-Key ${apiKey}` };
  const answer = await readEvents(`${apiUrl}/emulator/counts?name=${name}`, { headers });
  const { unique, received } = await answer.json();
  return { unique, received };
}

it.each([
  ['its offline page', 'page.html'],
  ['a file of another address', 'worker.js'],
])(
  'a service worker of the site that answers with %s takes no events: they wait, and are delivered later',
  async (_, answer) => {
    const name = `intercepted-${uuid()}`;
    const tracker = createTracker({
      baseUrl,
      apiKey,
      correlationKey: 'email',
      batch: { maxWaitMs: 0 },
    });
    await setOffline(answer);
    for (let number = 0; number < 20; number += 1) {
      tracker.track(name, { number, text }, { correlationValue: 'ada@example.com' });
    }
    await expect.poll(() => tracker.stats().pause).toMatchObject({ reason: 'intercepted', status: 200 });
    expect(tracker.stats()).toMatchObject({ delivered: 0, deadLettered: 0, pending: 20 });
    await setOffline('');
    dispatchEvent(new Event('online'));
    expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
    expect(await count(name)).toEqual({ unique: 20, received: 20 });
    await tracker.close();
  },
);
