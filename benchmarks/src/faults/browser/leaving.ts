import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault, seconds } from './browser-fault.ts';
import { LEASED_WITHIN_MS } from './scene.ts';
import type { Tab } from './tab.ts';

const LONGEST_PAUSE_MS = 300;
const EVENTS = 1_000;
const AT_NAVIGATION = 200;
/** A new tab that finds a backlog must deliver it within this time. */
const FOUND_WITHIN_MS = 5_000;
/** A page has at most four requests of 100 events. */
const IN_REQUESTS = 400;
/** Only a page that hangs takes so long to be shown. */
const RETURN_MS = 60_000;
const LOOK_MS = 10;

/** Reloads a page that tracks all the time, while the service is up or down. */
const reload = browserFault('page-reload', {
  full: 30,
  quick: 3,
  async play({ scene, tries, random }) {
    const tab = await scene.openTab({ isBusy: true });
    for (let time = 0; time < tries; time += 1) {
      await (time % 2 === 0 ? scene.service.close() : scene.service.open());
      await pause(random(LONGEST_PAUSE_MS));
      if (time % 2 === 0) await tab.call('commit');
      await tab.reload();
    }
    return undefined;
  },
});

/** A tab tracks while the service is down and stays open. Once the service is up, a new tab delivers these events. */
const newTab = browserFault('new-tab', {
  full: 10,
  quick: 2,
  async play({ scene, tries, slackMs }) {
    const waits: number[] = [];
    for (let time = 0; time < tries; time += 1) {
      await scene.service.close();
      const first = await scene.openTab();
      await first.call('track', EVENTS);
      await first.call('commit');
      // What it had in a request as it froze would be leased.
      await scene.failure(first);
      // Freezes the first tab in every other try, as browsers freeze background tabs.
      if (time % 2 === 1) {
        first.page.cutOff();
        await first.send('Page.setWebLifecycleState', { state: 'frozen' });
      }
      await scene.service.open();
      const second = await scene.openTab();
      waits.push(await scene.arrival([first]));
      await first.close();
      await second.close();
    }
    return timely('delivered after', waits, FOUND_WITHIN_MS + slackMs, scene.problems);
  },
});

/** Closes a tab that tracks all the time. */
const closedTab = browserFault('closed-tab', {
  full: 30,
  quick: 3,
  async play({ scene, tries, random }) {
    for (let time = 0; time < tries; time += 1) {
      const tab = await scene.openTab({ isBusy: true });
      await (time % 2 === 0 ? scene.service.close() : scene.service.open());
      await pause(random(LONGEST_PAUSE_MS));
      if (time % 2 === 0) await tab.call('commit');
      await tab.close();
    }
    return undefined;
  },
});

/** Crashes the process of a tab. The tab that stays open delivers its events; those in requests once their lease has ended. */
const tabCrash = browserFault('tab-crash', {
  full: 20,
  quick: 2,
  async play({ scene, tries, random, slackMs }) {
    await scene.openTab({ isBusy: true });
    const waits: number[] = [];
    const leased: number[] = [];
    for (let time = 0; time < tries; time += 1) {
      const tab = await scene.openTab({ isBusy: true });
      await pause(random(LONGEST_PAUSE_MS));
      await tab.call('commit');
      await tab.crash();
      waits.push(await scene.arrival([tab], IN_REQUESTS));
      leased.push(await scene.arrival([tab]));
    }
    const { problems } = scene;
    const { note } = timely('delivered by the other tab after', waits, FOUND_WITHIN_MS + slackMs, problems);
    const other = timely('from its requests after', leased, LEASED_WITHIN_MS + slackMs, problems);
    return { note: `${note}; ${other.note}` };
  },
});

/** A page tracks 200 events and leaves in the same task. No event may be lost, although none was reported as durable. */
const navigation = browserFault('navigation', {
  full: 20,
  quick: 4,
  async play({ scene, tries, random }) {
    let atOnce = 0;
    for (let time = 0; time < tries; time += 1) {
      const tab = await scene.openTab();
      await pause(random(LONGEST_PAUSE_MS));
      const { page } = tab;
      const before = scene.service.seen.size;
      page.cutOff();
      if (time % 2 === 0) await leaveForPlain(tab, scene.origin);
      else await tab.trackAndVisit(AT_NAVIGATION, scene.address());
      page.durable = page.tracked;
      await pause(LONGEST_PAUSE_MS);
      if (time % 2 === 0) atOnce += scene.service.seen.size - before;
      await tab.close();
    }
    const share = Math.round((atOnce / (Math.ceil(tries / 2) * AT_NAVIGATION)) * 100);
    return { note: `none of all tracked; ${share} % arrived before the next visit` };
  },
});

/** A page goes into the back/forward cache, and continues with its state when it comes back. */
const backForward = browserFault('bfcache', {
  full: 20,
  quick: 2,
  async play({ scene, tries, random }) {
    const tab = await scene.openTab();
    let restored = 0;
    /** How often the page that is shown now was back. */
    let returns = 0;
    for (let time = 0; time < tries; time += 1) {
      const { page } = tab;
      await (time % 3 === 2 ? scene.service.close() : scene.service.open());
      await tab.call('track', random(AT_NAVIGATION));
      page.cutOff();
      await leaveForPlain(tab, scene.origin);
      await pause(random(LONGEST_PAUSE_MS));
      await tab.send('Page.navigateToHistoryEntry', { entryId: await previousEntry(tab) });
      if (await isBack(tab, page.life, returns + 1)) {
        restored += 1;
        returns += 1;
        page.goOn();
      } else {
        // The browser did not keep it: another page is in its place.
        returns = 0;
        page.durable = page.tracked;
      }
    }
    await scene.service.open();
    await tab.call('track', 1);
    const { page } = tab;
    page.durable = page.tracked = (await tab.call('look')).tracked;
    if (restored < tries) scene.problems.push(`restored from the cache ${restored} times of ${tries}`);
    return { note: `restored ${restored} of ${tries} times` };
  },
});

export const leaving: readonly Fault[] = [reload, newTab, closedTab, tabCrash, navigation, backForward];

function timely(
  what: string,
  waits: readonly number[],
  withinMs: number,
  problems: string[],
): { note: string } {
  const ms = Math.max(...waits);
  const note = `${what} ${seconds(ms)} at most, within ${seconds(withinMs)}`;
  if (ms > withinMs) problems.push(note);
  return { note };
}

/** Tracks and leaves in one task, for a page that does not track. Resolves once that is shown. */
async function leaveForPlain(tab: Tab, origin: string): Promise<void> {
  const pathname = '/plain';
  await tab.call('trackAndLeave', AT_NAVIGATION, origin + pathname);
  for (const end = Date.now() + RETURN_MS; Date.now() < end; await pause(LOOK_MS)) {
    if ((await tab.evaluate('location.pathname').catch(() => undefined)) === pathname) return;
  }
  throw new Error(`the tab did not come to ${pathname}`);
}

async function previousEntry(tab: Tab): Promise<number> {
  const { currentIndex, entries } = await tab.send<{
    currentIndex: number;
    entries: readonly { readonly id: number }[];
  }>('Page.getNavigationHistory');
  return entries[currentIndex - 1]?.id ?? 0;
}

/** Whether the page comes back with its state. Another page in its place has another number. */
async function isBack(tab: Tab, life: number, returns: number): Promise<boolean> {
  for (const end = Date.now() + RETURN_MS; Date.now() < end; await pause(LOOK_MS)) {
    const view = await tab.call('look').catch(() => undefined);
    // It may be shown again before it knows.
    if (view !== undefined && (view.returns === returns || view.life !== life)) return view.life === life;
  }
  return false;
}
