import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import type { Cell } from './cell.ts';

/** The prefix of event ids in every scenario. */
export const PREFIX = 'event';

/** What happens to a page that tracked events while the service was down. */
export interface Scenario {
  /** As shown in table titles. */
  readonly title: string;
  /**
   * Tracks this many events while the service is down, waits `restMs`, brings the service up and starts the SDK again. Resolves
   * to a page in which the SDK runs.
   */
  run(cell: Cell, events: number, restMs: number): Promise<Page>;
}

export const CLOSED_TAB: Scenario = {
  title: 'in a new tab',
  async run(cell, events, restMs) {
    const page = await cell.visit();
    await trackAll(cell, page, { from: 0, count: events, restMs });
    await page.close();
    return comeBack(cell, await cell.openTab());
  },
};

export const KILLED: Scenario = {
  title: 'after SIGKILL',
  async run(cell, events, restMs) {
    await trackAll(cell, await cell.visit(), { from: 0, count: events, restMs });
    await cell.killAndRestart();
    return comeBack(cell, await cell.openTab());
  },
};

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'after reload',
    async run(cell, events, restMs) {
      const page = await cell.visit();
      await trackAll(cell, page, { from: 0, count: events, restMs });
      await page.reload();
      return comeBack(cell, page);
    },
  },
  CLOSED_TAB,
  KILLED,
  {
    title: 'two tabs, half each',
    async run(cell, events, restMs) {
      const half = events / 2;
      const [one, other] = await Promise.all([cell.visit(), cell.visit()]);
      await Promise.all([
        trackAll(cell, one, { from: 0, count: half, restMs }),
        trackAll(cell, other, { from: half, count: half, restMs }),
      ]);
      await Promise.all([one.reload(), other.reload()]);
      const [page] = await Promise.all([comeBack(cell, one), comeBack(cell, other)]);
      return page;
    },
  },
];

interface Burst {
  readonly from: number;
  readonly count: number;
  readonly restMs: number;
}

async function trackAll(cell: Cell, page: Page, { from, count, restMs }: Burst): Promise<void> {
  await cell.track(page, { prefix: PREFIX, from, count });
  await sleep(restMs);
}

/** Brings the service up, and starts the SDK in a page that was just loaded. */
async function comeBack(cell: Cell, page: Page): Promise<Page> {
  cell.service.goUp();
  await cell.startSdk(page);
  return page;
}
