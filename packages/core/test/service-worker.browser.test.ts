/// <reference types="@vitest/browser-playwright" />
import { afterEach, describe, expect, inject, it } from 'vitest';
import { cdp, server } from 'vitest/browser';
import { createTracker, type TrackerOptions } from '../src/index.ts';
import { SYNC_TAG } from '../src/platform/background-sync.ts';
import { drain } from '../src/service-worker.ts';
import { uuid } from '../src/uuid.ts';

const { apiUrl, apiKey, ...emulator } = inject('emulator');
/** By another name, so that nobody but these tests sends from the journal. */
const baseUrl = `${emulator.baseUrl.replace('127.0.0.1', 'localhost')}/`;
const ada = { correlationValue: 'ada@example.com' };

/** A page that tracks so many events, and is gone before it sends any. */
async function leave(options: TrackerOptions, name: string, count: number): Promise<void> {
  const page = createTracker({ ...options, batch: { maxWaitMs: 60_000, maxEvents: 10_000 } });
  for (let number = 0; number < count; number += 1) page.track(name, { number }, ada);
  await page.durable();
  await page.close({ timeoutMs: 0 });
}

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

describe('what a service worker does', () => {
  it('sends what pages left, each event once', async () => {
    const options = { baseUrl, apiKey, correlationKey: 'email' };
    const name = `drained-${uuid()}`;
    await leave(options, name, 250);
    await Promise.all([drain(options), drain(options)]);
    expect(await count(name)).toEqual({ unique: 250, received: 250 });
  });

  it('leaves everything where it is while the service cannot be reached, and has the browser try again', async () => {
    const options = { baseUrl: 'http://127.0.0.1:1', correlationKey: `down-${uuid()}` };
    await leave(options, 'left', 30);
    await expect(drain(options)).rejects.toThrow('the service answered nothing');
    const next = createTracker(options);
    await next.flush({ timeoutMs: 50 });
    expect(next.stats()).toMatchObject({ recovered: 30, pending: 30 });
    await next.close({ timeoutMs: 0 });
  });
});

// Chromium alone can be told to wake one.
describe.runIf(server.browser === 'chromium')('a service worker', () => {
  let registration: ServiceWorkerRegistration | undefined;

  afterEach(() => registration?.unregister());

  it('sends what is left on a sync event, with no page of the site open', async () => {
    const options = { baseUrl, apiKey, correlationKey: 'email' };
    const name = `synced-${uuid()}`;
    await leave(options, name, 120);
    const script = new URL('./workers/draining-worker.ts', import.meta.url);
    script.search = String(new URLSearchParams(options));
    const devtools = cdp();
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL }) => scopeURL.includes('/workers/'));
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    await devtools.send('ServiceWorker.enable');
    registration = await navigator.serviceWorker.register(script, { type: 'module' });
    const { installing } = registration;
    await new Promise<void>((resolve) => {
      if (installing === null) resolve();
      else installing.onstatechange = () => installing.state === 'activated' && resolve();
    });
    const { origin } = location;
    const registrationId = await registered;
    await devtools.send('ServiceWorker.dispatchSyncEvent', {
      ...{ origin, registrationId, tag: SYNC_TAG, lastChance: false },
    });
    await expect.poll(() => count(name), { timeout: 10_000 }).toEqual({ unique: 120, received: 120 });
  });
});
