import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { browserFault } from './browser-fault.ts';
import type { Tab } from './tab.ts';
import type { Treatment } from './watched-service.ts';

const TREATMENTS: readonly Treatment[] = ['passed', 'passed', 'refused', 'lost', 'deaf'];
const LONGEST_SPELL_MS = 300;
const HOUR_MS = 60 * 60_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const PARTS_OF_HOUR = 6;
const EVENTS_PER_PART = 10;
/** Time on the page's clock, after the service is back up. */
const RETURN_MINUTES = 5;

/** The service cannot be reached for a day. For half of that day, the browser knows that it is offline. */
const dayOffline = browserFault('day-offline', {
  full: 24,
  quick: 4,
  async play({ scene, tries }) {
    await scene.service.close();
    scene.clock = 'virtual';
    const tab = await scene.openTab();
    await tab.call('live', tries / 2, EVENTS_PER_PART, PARTS_OF_HOUR);
    await setOffline(tab, true);
    const { isOnline, requests: before } = await tab.call('look');
    if (isOnline) scene.problems.push('the browser does not know that it is offline');
    await tab.call('live', tries / 2, EVENTS_PER_PART, PARTS_OF_HOUR);
    await tab.call('commit');
    const { requests } = await tab.call('look');
    const most = tries * 60;
    if (requests > most) scene.problems.push(`${requests} requests in ${tries} h, at most ${most} may be`);
    await setOffline(tab, false);
    await scene.service.open();
    await tab.call('advance', RETURN_MINUTES * 60_000);
    const { pending } = await tab.call('look');
    if (pending > 0) scene.problems.push(`${pending} events wait ${RETURN_MINUTES} minutes after the day`);
    // Close it first: a later page with the real clock would be a clock jump for this one.
    await tab.close();
    scene.clock = 'real';
    const note = `${before} + ${requests - before} requests in ${tries} h, at most ${most}`;
    return { note };
  },
});

/** Two tabs track while the service goes up and down, refuses requests, and breaks connections before or after it took events. */
const flapping = browserFault('flapping', {
  full: 150,
  quick: 20,
  async play({ scene, tries, random }) {
    // The clock is fast because retries are rare: one in ten seconds, and one for ten successful requests.
    scene.clock = 'fast';
    await scene.openTab({ isBusy: true });
    await scene.openTab({ isBusy: true });
    const treated = { passed: 0, refused: 0, lost: 0, deaf: 0 };
    scene.service.treat = () => {
      const treatment = TREATMENTS[random(TREATMENTS.length)] ?? 'passed';
      treated[treatment] += 1;
      return treatment;
    };
    for (let spell = 0; spell < tries; spell += 1) {
      await (random(3) === 0 ? scene.service.close() : scene.service.open());
      await pause(random(LONGEST_SPELL_MS));
    }
    const note = `requests ${Object.entries(treated).flat().join(' ')}`;
    return { note };
  },
});

/** The machine's clock jumps forward and back, by up to a year, while the service goes up and down. */
const clockJumps = browserFault('clock-jumps', {
  full: 60,
  quick: 8,
  async play({ scene, tries, random }) {
    scene.clock = 'jumping';
    const tab = await scene.openTab({ isBusy: true });
    for (let jump = 0; jump < tries; jump += 1) {
      const most = [HOUR_MS, 24 * HOUR_MS, YEAR_MS][random(3)] ?? YEAR_MS;
      scene.offsetMs = random(2 * most) - most;
      await tab.call('jump', scene.offsetMs);
      await (random(3) === 0 ? scene.service.close() : scene.service.open());
      await pause(random(LONGEST_SPELL_MS));
    }
    return undefined;
  },
});

export const outages: readonly Fault[] = [dayOffline, flapping, clockJumps];

async function setOffline(tab: Tab, offline: boolean): Promise<void> {
  await tab.send('Network.enable');
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await tab.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}
