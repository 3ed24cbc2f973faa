/** What the browser calls a service worker with once there is a network: pages register it, `service-worker.ts` listens to it. */
export const SYNC_TAG = 'sluice';

/** As far as Background Sync goes. */
interface Registration {
  readonly sync?: { register(tag: string): Promise<void> };
}

/** Has the page's service worker called once there is a network, where it has one and the browser can do that. */
export function registerSync(): void {
  const workers = globalThis.navigator?.serviceWorker as ServiceWorkerContainer | undefined;
  if (!workers?.controller) return;
  workers.ready
    .then((registration: object) => (registration as Registration).sync?.register(SYNC_TAG))
    .catch(() => undefined);
}
