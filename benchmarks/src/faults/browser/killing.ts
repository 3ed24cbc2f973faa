import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault } from './browser-fault.ts';

const LONGEST_PAUSE_MS = 1_000;
const TABS = 5;
const STEADY_MS = 2_000;
const BETWEEN_KILLS_MS = 60;
/** After this many kills the service goes down. After this many more it comes back up. */
const OUTAGE_KILLS = 15;

/** Kills the whole browser while two tabs track, and restarts it with the same profile. */
const browserKill = browserFault('browser-sigkill', {
  full: 20,
  quick: 2,
  async play({ scene, tries, random }) {
    for (let time = 0; time < tries; time += 1) {
      await (time % 2 === 0 ? scene.service.close() : scene.service.open());
      const tabs = [await scene.openTab({ isBusy: true }), await scene.openTab({ isBusy: true })];
      await pause(random(LONGEST_PAUSE_MS));
      if (time % 2 === 0) for (const tab of tabs) await tab.call('commit');
      await scene.browser.kill();
      scene.browser.restart();
    }
    return undefined;
  },
});

/** Opens five tabs one after the other, and all of them track. Nothing fails: no event may arrive twice. */
const steadyTabs = browserFault('steady-tabs', {
  full: 5,
  quick: 1,
  async play({ scene, tries }) {
    for (let time = 0; time < tries; time += 1) {
      for (let tab = 0; tab < TABS; tab += 1) await scene.openTab({ isBusy: true });
      await pause(STEADY_MS);
      for (const tab of scene.browser.openTabs) await tab.call('setBusy', false);
      await scene.rest();
      for (const tab of scene.browser.openTabs) await tab.close();
    }
    return undefined;
  },
});

/** Five tabs track all the time. One after the other is closed or crashes, and a new tab replaces it. */
const fiveTabs = browserFault('five-tabs', {
  full: 200,
  quick: 8,
  async play({ scene, tries, random }) {
    for (let tab = 0; tab < TABS; tab += 1) await scene.openTab({ isBusy: true });
    for (let kill = 0; kill < tries; kill += 1) {
      const isAway = Math.floor(kill / OUTAGE_KILLS) % 2 === 1;
      await (isAway ? scene.service.close() : scene.service.open());
      const { openTabs } = scene.browser;
      const victim = openTabs[random(openTabs.length)];
      await (random(2) === 0 ? victim?.close() : victim?.crash());
      await scene.openTab({ isBusy: true });
      await pause(random(BETWEEN_KILLS_MS));
    }
    return undefined;
  },
});

export const killing: readonly Fault[] = [browserKill, steadyTabs, fiveTabs];
