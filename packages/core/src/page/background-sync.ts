import { tried } from '@sluice/protocol/toolbox';

/**
 * The tag of our Background Sync event. Pages register it; the browser sends it to their service worker (`service-worker.ts`)
 * once there is a network.
 */
export const SYNC_TAG = 'sluice';

/** A service worker's registration, as far as Background Sync needs it. */
interface Registration {
  readonly sync?: { register(tag: string): Promise<void> };
}

/**
 * Asks the browser to call the page's service worker once there is a network. Does nothing if there is no service worker, or
 * the browser cannot do that.
 */
export function registerSync(): void {
  // In a sandbox, Chromium throws.
  const workers = tried(() => globalThis.navigator?.serviceWorker as ServiceWorkerContainer | undefined);
  if (!workers?.controller) return;
  workers.ready
    .then((registration: object) => (registration as Registration).sync?.register(SYNC_TAG))
    .catch(() => undefined);
}
