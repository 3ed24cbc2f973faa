import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault, seconds } from './browser-fault.ts';
import type { Scene } from './scene.ts';
import type { Tab } from './tab.ts';

const EVENTS = 300;
const QUOTA_BYTES = 6 * 1024 * 1024;
const LONGEST_PAUSE_MS = 200;
/** In real time. Some minutes on the fast clock of the pages. */
const HEALED_WITHIN_MS = 60_000;
const LOOK_MS = 20;

/** Another script of the site fills the quota, and frees it again. */
const quotaFilled = browserFault('quota-filled', {
  full: 20,
  quick: 3,
  async play({ scene, tries }) {
    scene.clock = 'fast';
    await scene.service.close();
    const { origin } = scene;
    // Set the quota before the site stores anything, and keep the tab open to the end: Chromium caches the free space, and lets a
    // site use some of it for half a minute without a new check.
    const other = await scene.browser.openPlainTab(`${origin}/plain`);
    await other.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: QUOTA_BYTES });
    const tab = await scene.openTab();
    const waits: number[] = [];
    for (let time = 0; time < tries; time += 1) {
      await tab.call('fillStorage', QUOTA_BYTES);
      await tab.call('track', EVENTS);
      await shows(tab, scene, 'memory');
      // More events: those that the journal refused wait in memory together with these.
      await tab.call('track', EVENTS);
      const { durable } = await tab.call('look');
      if (durable > 0) scene.problems.push(`the quota was full, and ${durable} events are durable`);
      await tab.call('emptyStorage');
      const before = performance.now();
      // The journal must recover by itself, without a call to `commit`.
      await shows(tab, scene, 'indexeddb');
      waits.push(performance.now() - before);
      await healed(tab, scene, 'after the room came back');
      // The events from memory must be in the journal now.
      await tab.reload();
    }
    const note = `in memory ${tries} times, back on disk after ${seconds(Math.max(...waits))} at most`;
    return { mayFail: true, note };
  },
});

/**
 * The databases of the site are deleted while its page runs: by the page itself, by another tab, by the user. At each deletion,
 * no more events wait than a page keeps in memory, because events that are only in the database are lost.
 */
const databaseDeleted = browserFault('database-deleted', {
  full: 12,
  quick: 3,
  async play({ scene, tries, random }) {
    scene.clock = 'fast';
    await scene.service.close();
    const other = await scene.openTab();
    const tab = await scene.openTab();
    const { origin } = scene;
    const ways = [
      () => tab.call('deleteDatabases'),
      () => other.call('deleteDatabases'),
      () => tab.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' }),
    ];
    for (let time = 0; time < tries; time += 1) {
      await tab.call('track', EVENTS);
      await healed(tab, scene, 'before it was deleted');
      await tab.call('track', random(EVENTS));
      await ways[time % ways.length]?.();
      await pause(random(LONGEST_PAUSE_MS));
      await tab.call('track', EVENTS);
      await healed(tab, scene, 'after it was deleted');
      // In the last try, the next page delivers the events that this page wrote again.
      if (time + 1 === tries) break;
      await scene.service.open();
      await scene.arrival([tab]);
      await scene.service.close();
    }
    await tab.reload();
    // The other tab may report events of this tab as dropped: it cannot know that this tab still has them in memory.
    return { mayFail: true, mayDrop: true };
  },
});

/** The browser closes the connections to the database while the page tracks, with or without an event. */
const forcedClose = browserFault('forced-close', {
  full: 40,
  quick: 4,
  async play({ scene, tries, random }) {
    scene.clock = 'fast';
    const tab = await scene.openTab({ isBusy: true });
    for (let time = 0; time < tries; time += 1) {
      await (time % 2 === 0 ? scene.service.close() : scene.service.open());
      await pause(random(LONGEST_PAUSE_MS));
      await tab.call('closeConnections', random(2) === 0);
      await healed(tab, scene, 'after its connection was closed');
      if (time % 4 === 3) await tab.reload();
    }
    return { mayFail: true };
  },
});

export const storage: readonly Fault[] = [quotaFilled, databaseDeleted, forcedClose];

/** Resolves once the page reports this journal. Adds a problem if that does not happen in time. */
async function shows(tab: Tab, { problems }: Scene, journal: string): Promise<void> {
  for (const end = Date.now() + HEALED_WITHIN_MS; Date.now() < end; await pause(LOOK_MS)) {
    if ((await tab.call('look')).journal === journal) return;
  }
  problems.push(`the page does not say within ${HEALED_WITHIN_MS} ms that its journal is ${journal}`);
}

/** Resolves once all tracked events are durable. Adds a problem if that does not happen in time. */
async function healed(tab: Tab, { problems }: Scene, when: string): Promise<void> {
  let reason: unknown;
  for (const end = Date.now() + HEALED_WITHIN_MS; Date.now() < end; await pause(LOOK_MS)) {
    try {
      await tab.call('commit');
      return;
    } catch (error) {
      reason = error;
    }
  }
  problems.push(`${when}: not durable within ${HEALED_WITHIN_MS} ms: ${reason}`);
}
