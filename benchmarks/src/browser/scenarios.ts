import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import type { Cell } from './cell.ts';

/** Between the last track() and what happens then. */
export const REST_MS = 2000;
/** What the events of a scenario are called. */
export const PREFIX = 'event';

/** What happens to a page that tracked while the service was down. */
export interface Scenario {
  /** As in the titles of tables. */
  readonly title: string;
  /** Tracks so many events while the service is down, brings it up, and leaves an SDK running. Resolves to a page of it. */
  run(cell: Cell, events: number): Promise<Page>;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'after reload',
    async run(cell, events) {
      const page = await cell.visit();
      await trackAll(cell, page, 0, events);
      await page.reload();
      return comeBack(cell, page);
    },
  },
  {
    title: 'in a new tab',
    async run(cell, events) {
      const page = await cell.visit();
      await trackAll(cell, page, 0, events);
      await page.close();
      return comeBack(cell, await cell.openTab());
    },
  },
  {
    title: 'after SIGKILL',
    async run(cell, events) {
      await trackAll(cell, await cell.visit(), 0, events);
      await cell.killAndRestart();
      return comeBack(cell, await cell.openTab());
    },
  },
  {
    title: 'two tabs, half each',
    async run(cell, events) {
      const half = events / 2;
      const [one, other] = await Promise.all([cell.visit(), cell.visit()]);
      await Promise.all([trackAll(cell, one, 0, half), trackAll(cell, other, half, half)]);
      await Promise.all([one.reload(), other.reload()]);
      const [page] = await Promise.all([comeBack(cell, one), comeBack(cell, other)]);
      return page;
    },
  },
];

async function trackAll(cell: Cell, page: Page, from: number, count: number): Promise<void> {
  await cell.track(page, { prefix: PREFIX, from, count });
  await sleep(REST_MS);
}

/** The service works again, and the SDK starts in a page that was just loaded. */
async function comeBack(cell: Cell, page: Page): Promise<Page> {
  cell.service.goUp();
  await cell.startSdk(page);
  return page;
}
