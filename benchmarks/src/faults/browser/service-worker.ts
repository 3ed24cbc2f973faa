import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault, seconds } from './browser-fault.ts';
import type { Tab } from './tab.ts';

const EVENTS = 300;
/** The sync tag with which pages ask the browser to wake the worker. */
const TAG = 'sluice';
const SENT_WITHIN_MS = 5_000;
const AGAIN_MS = 200;
const LOOK_MS = 20;

interface Registration {
  readonly registrationId: string;
}

/** The last tab that tracks is closed while the service is down. Later the browser wakes the service worker, which delivers. */
export const serviceWorker: Fault = browserFault('service-worker', {
  full: 10,
  quick: 2,
  async play({ scene, tries, slackMs }) {
    const waits: number[] = [];
    // A page of the same site without a tracker. The harness wakes the worker through its session.
    const watcher = await scene.browser.openPlainTab(`${scene.origin}/plain`);
    for (let time = 0; time < tries; time += 1) {
      await scene.service.close();
      const tab = await scene.openTab();
      await tab.call('startWorker');
      await tab.call('track', EVENTS);
      await tab.call('commit');
      // What it had in a request as it was closed would be leased.
      await scene.failure(tab);
      await tab.close();
      await scene.service.open();
      const before = performance.now();
      // Repeated, as the browser repeats it: the worker fails the sync as long as it may not call the service.
      const id = await registrationOf(watcher);
      const wake = { origin: scene.origin, registrationId: id, tag: TAG, lastChance: false };
      const waking = setInterval(() => {
        watcher.send('ServiceWorker.dispatchSyncEvent', wake).catch(() => undefined);
      }, AGAIN_MS);
      await scene.arrival([tab]);
      clearInterval(waking);
      waits.push(performance.now() - before);
    }
    const withinMs = SENT_WITHIN_MS + slackMs;
    const note = `sent after ${seconds(Math.max(...waits))} at most, within ${seconds(withinMs)}`;
    if (Math.max(...waits) > withinMs) scene.problems.push(note);
    return { note };
  },
});

/** The browser's id of the site's service worker. */
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
