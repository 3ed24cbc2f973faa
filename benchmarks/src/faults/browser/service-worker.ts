import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault, seconds } from './browser-fault.ts';
import type { Tab } from './tab.ts';

const EVENTS = 300;
/** What pages have the browser wake the worker with. */
const TAG = 'sluice';
const SENT_WITHIN_MS = 5_000;
const AGAIN_MS = 200;
const LOOK_MS = 20;

interface Registration {
  readonly registrationId: string;
}

/** The last tab of the site that tracks is closed while the service is away; the browser wakes the service worker later. */
export const serviceWorker: Fault = browserFault('service-worker', {
  full: 10,
  quick: 2,
  async play({ scene, tries }) {
    const waits: number[] = [];
    // Of the same site, so that the worker can be woken by its session; it has no tracker.
    const watcher = await scene.browser.openPlainTab(`${scene.origin}/plain`);
    for (let time = 0; time < tries; time += 1) {
      await scene.service.close();
      const tab = await scene.openTab();
      await tab.call('startWorker');
      await tab.call('track', EVENTS);
      await tab.call('commit');
      await tab.close();
      await scene.service.open();
      const before = performance.now();
      // Again and again, as the browser does later: the worker refuses while the service is not to be asked.
      const id = await registrationOf(watcher);
      const wake = { origin: scene.origin, registrationId: id, tag: TAG, lastChance: false };
      const waking = setInterval(() => {
        watcher.send('ServiceWorker.dispatchSyncEvent', wake).catch(() => undefined);
      }, AGAIN_MS);
      await scene.arrival([tab]);
      clearInterval(waking);
      waits.push(performance.now() - before);
    }
    const note = `sent after ${seconds(Math.max(...waits))} at most, within ${seconds(SENT_WITHIN_MS)}`;
    if (Math.max(...waits) > SENT_WITHIN_MS) scene.problems.push(note);
    return { note };
  },
});

/** The service worker of the site, by its number in the browser. */
async function registrationOf(tab: Tab): Promise<string> {
  let found: string | undefined;
  const stop = tab.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    found ??= (registrations as readonly Registration[])[0]?.registrationId;
  });
  await tab.send('ServiceWorker.disable');
  await tab.send('ServiceWorker.enable');
  while (found === undefined) await pause(LOOK_MS);
  stop();
  return found;
}
