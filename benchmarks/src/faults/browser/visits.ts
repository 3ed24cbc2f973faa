import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault } from './browser-fault.ts';
import { lastRequests } from './visiting/last-requests.ts';
import type { Taken } from './watched-service.ts';

const PAGES = 10;
/** A view and a scroll; and then a click, which goes to the next page. */
const BEFORE = 2;
const CLICK = 1;
/**
 * What comes again after this time may: its lease of 30 s has ended, because a busy machine takes so long for a visit. It is shorter
 * than the lease, which begins before the request arrives.
 */
const LEASED_MS = 20_000;
/** How long the user stays on a page, and how long the service takes to answer. */
const PACES: readonly (readonly [thinkMs: number, latencyMs: number])[] = [
  [700, 1_500],
  [300, 400],
  [600, 50],
  [1_500, 50],
];

const quickUser = browserFault('visits', {
  full: 20,
  quick: 2,
  async play({ scene, tries }) {
    const { service } = scene;
    let requests = 0;
    for (let time = 0; time < tries; time += 1) {
      const [thinkMs, latencyMs] = PACES[time % PACES.length] ?? [0, 0];
      service.latencyMs = latencyMs;
      const before = service.taken.length;
      const tab = await scene.openTab();
      for (let number = 1; number <= PAGES; number += 1) {
        const { page } = tab;
        await tab.call('track', BEFORE);
        await pause(thinkMs);
        await tab.trackAndVisit(CLICK, scene.address());
        page.durable = page.tracked;
      }
      await scene.arrival([tab]);
      const taken = service.taken.slice(before);
      requests += taken.length;
      const twice = repeatsIn(taken);
      if (twice > 0)
        scene.problems.push(`${twice} events came twice: ${thinkMs} ms a page, ${latencyMs} ms a request`);
      await tab.close();
    }
    return { note: `none twice in ${tries} visits of ${PAGES} pages, ${requests} requests` };
  },
});

/**
 * A user follows links through the pages of a site. Each event arrives once, though most requests outlive their page. Then others
 * come back to a site again and again, while the network cuts the last requests of pages.
 */
export const visits: Fault = {
  ...quickUser,
  async run(context) {
    const result = await quickUser.run(context);
    const { details, problems } = await lastRequests(context);
    return { ...result, details, problems: [...result.problems, ...problems] };
  },
};

function repeatsIn(taken: readonly Taken[]): number {
  const firstAt = new Map<string, number>();
  let twice = 0;
  for (const { uuids, arrivedAt } of taken)
    for (const uuid of uuids) {
      const at = firstAt.get(uuid) ?? arrivedAt;
      if (firstAt.has(uuid) && arrivedAt - at < LEASED_MS) twice += 1;
      firstAt.set(uuid, at);
    }
  return twice;
}
