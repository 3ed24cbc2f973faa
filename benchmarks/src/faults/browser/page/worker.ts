// The service worker of the site. It takes control of its pages at once, and sends their events when the browser wakes it.
import { drainOnSync } from '@sluice/core/service-worker';
import { NetworkWatch } from './network-watch.ts';
import type { PageSettings } from './page-settings.ts';

/** No page has this number. */
const LIFE = 0;

interface Worker {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

const worker = globalThis as unknown as Worker;
const settings: PageSettings = JSON.parse(new URL(location.href).searchParams.get('settings') ?? '');
new NetworkWatch(LIFE);
addEventListener('install', () => void worker.skipWaiting());
addEventListener('activate', () => void worker.clients.claim());
drainOnSync({ baseUrl: settings.baseUrl, apiKey: settings.apiKey, correlationKey: 'email' });
