import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { Emulating } from '../emulating.ts';
import type { Fault } from '../fault.ts';
import { Browser } from './browser.ts';
import { whyNoChromium } from './find-chromium.ts';
import { EVENTS_OF_A_PAGE, neverShown } from './page/visit-settings.ts';
import { PageServer } from './page-server.ts';
import { WatchedService } from './watched-service.ts';

const PAGES = { full: 30, quick: 4 };
const THINK_MS = 1_000;
const GIVEN_UP_AFTER_MS = 45_000;
/** What a page sends that should send nothing is there after so long. */
const QUIET_MS = 2_000;
const LOOK_MS = 50;

/**
 * Each page has Chromium prerender the next page, and one that is never shown. What the next page tracks arrives once it is
 * shown, each event once; what the other one tracks never does.
 */
export const prerender: Fault = {
  name: 'prerender',
  skipReason: whyNoChromium,
  async run({ isQuick, directory }) {
    await using emulator = await Emulating.start();
    await using pages = await PageServer.start();
    await using service = new WatchedService(emulator.baseUrl);
    await using browser = new Browser(join(directory, 'profile'));
    await service.open();
    const last = isQuick ? PAGES.quick : PAGES.full;
    const settings = { baseUrl: service.baseUrl, apiKey: emulator.apiKey, leaving: 'at-least-once' } as const;
    const visit = {
      page: 1,
      last,
      thinkMs: THINK_MS,
      maxWaitMs: 100,
      isElsewhere: false,
      isPrerendered: true,
    };
    await browser.openUnwatched(pages.visit({ ...settings, ...visit }));

    const numbers = Array.from({ length: last }, (_, index) => index + 1);
    const expected = numbers.flatMap(eventsOf);
    const missing = () => expected.filter((uuid) => !service.seen.has(uuid));
    const end = Date.now() + last * THINK_MS + GIVEN_UP_AFTER_MS;
    while (missing().length > 0 && Date.now() < end) await pause(LOOK_MS);
    await pause(QUIET_MS);
    const came = service.taken.flatMap(({ uuids }) => [...uuids]);
    const unseen = numbers
      .flatMap((page) => eventsOf(neverShown(page)))
      .filter((uuid) => service.seen.has(uuid));
    const most = 2 * (last - 1);
    const problems = [
      ...(unseen.length > 0 ? [`${unseen.length} events came from pages that were never shown`] : []),
      ...(pages.prerendered < most ? [`Chromium prerendered ${pages.prerendered} of ${most} pages`] : []),
    ];
    return {
      ...{ tries: last, durable: expected.length, lost: missing().length },
      duplicates: came.length - new Set(came).size,
      demand: `0 lost, none of the ${last - 1} pages that were never shown; ${pages.prerendered} prerendered`,
      problems,
    };
  },
};

function eventsOf(page: number): string[] {
  return Array.from({ length: EVENTS_OF_A_PAGE }, (_, number) => numberedUuid(page, number));
}
