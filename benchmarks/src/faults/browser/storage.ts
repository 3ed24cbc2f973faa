import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault } from './browser-fault.ts';
import type { Scene } from './scene.ts';
import type { Tab } from './tab.ts';

const EVENTS = 300;
const QUOTA_BYTES = 6 * 1024 * 1024;
const MOST_FILLINGS = 100;
const LONGEST_PAUSE_MS = 200;
/** On the fast clock of the pages, which makes more than a minute of it. */
const HEALED_WITHIN_MS = 15_000;
const LOOK_MS = 20;

/** Another script of the site takes all the room, and gives it back. */
const quotaFilled = browserFault('quota-filled', {
  full: 5,
  quick: 1,
  async play({ scene, tries }) {
    scene.clock = 'fast';
    await scene.service.close();
    const tab = await scene.openTab();
    const { origin } = scene;
    for (let time = 0; time < tries; time += 1) {
      await tab.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: QUOTA_BYTES });
      await tab.call('fillStorage');
      await fill(tab, scene);
      await tab.call('emptyStorage');
      await tab.send('Storage.overrideQuotaForOrigin', { origin });
      await healed(tab, scene, 'after the room came back');
      // What memory held must be in the journal by now.
      await tab.reload();
    }
    return { mayFail: true };
  },
});

/**
 * The databases of the site are deleted under its page: by itself, by another tab, by the user. What waits is no more each time
 * than a page keeps in memory: of what is in the database alone, nothing can be left.
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
      // Not in the last try: there the next page goes on from what this one wrote again.
      if (time + 1 === tries) break;
      await scene.service.open();
      await scene.arrival([tab]);
      await scene.service.close();
    }
    await tab.reload();
    // The other tab cannot know that what it found of this one, and is gone, is in the memory of this one.
    return { mayFail: true, mayDrop: true };
  },
});

/** The browser closes the connections to the database, and says so or does not, while the page tracks. */
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

/** Tracks until the journal has no room any more, and some more. */
async function fill(tab: Tab, { problems }: Scene): Promise<void> {
  for (let filling = 0; filling < MOST_FILLINGS; filling += 1) {
    await tab.call('track', EVENTS);
    await pause(LOOK_MS);
    if ((await tab.call('look')).journal === 'memory') return void (await tab.call('track', EVENTS));
  }
  problems.push(`the journal does not say that it has no room, after ${MOST_FILLINGS * EVENTS} events`);
}

/** Resolves once all that was tracked is durable; or when it is clear that it will not be. */
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
