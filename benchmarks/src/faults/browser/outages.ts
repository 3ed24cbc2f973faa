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
/** On the page's clock, once the service is back. */
const RETURN_MINUTES = 5;

/** A day in which the service cannot be reached: for half of it the browser knows that. */
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
    // A visitor of another time would be a jump of the clock.
    await tab.close();
    scene.clock = 'real';
    const note = `${before} + ${requests - before} requests in ${tries} h, at most ${most}`;
    return { note };
  },
});

/** The service comes and goes, refuses, breaks off before and after it took the events, while two tabs track. */
const flapping = browserFault('flapping', {
  full: 150,
  quick: 20,
  async play({ scene, tries, random }) {
    // Fast, as retries are few: one in ten seconds, and one for ten requests that were taken.
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

/** The clock of the machine is put forward and back, by as much as a year, while the service comes and goes. */
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
