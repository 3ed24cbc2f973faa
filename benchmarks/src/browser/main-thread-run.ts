import type { Page } from 'playwright';
import { spreadOf } from '../spread.ts';
import type { Cell } from './cell.ts';
import { MainThread } from './main-thread.ts';
import { within } from './within.ts';

const CHUNK_EVENTS = 100;
/** The cost of track() at a backlog is the median of this many chunks from there on. Fewer, if the time ran out. */
const CHUNKS = 10;
/** Tracked while the service is up. */
export const WARM_UP_EVENTS = 1000;
const WARM_UP_MS = 3000;
const WARM_UP = { prefix: 'warm-up', from: 0, count: WARM_UP_EVENTS, mostMs: WARM_UP_MS };
const WARM_UP_PATIENCE = {
  firstMs: WARM_UP_MS / 2,
  quietMs: WARM_UP_MS / 2,
  mostMs: WARM_UP_MS,
  repeatMs: 0,
};
/** Extra time above a time limit, for a page that does not respond. */
const DEAF_MS = 5000;
const PREFIX = 'event';

/** How many events are tracked, and how long that may take. */
export interface MainThreadPlan {
  /** The events whose effect on the main thread is measured. */
  readonly events: number;
  /** The backlogs at which track() is measured, in ascending order. */
  readonly backlogs: readonly number[];
  /** Time limit from the first event to the end, in milliseconds. */
  readonly mostMs: number;
}

/** The effect of an SDK on the main thread of a page that is offline. */
export interface MainThreadResult {
  /** How many of the plan's `events` were tracked in time. */
  readonly called: number;
  /** Whether all calls were made and the main thread became idle again, in time. */
  readonly isDone: boolean;
  readonly busyMs: number;
  /** The longest task of more than 50 ms, or else the longest chunk of calls. Undefined if the page did not respond. */
  readonly longestTaskMs?: number;
  /** Growth of the heap since before the first event. Undefined if the run was not done in time. */
  readonly heapBytes?: number;
  /** Duration of one track() in µs, by backlog. Contains only the backlogs that were reached. */
  readonly trackUs: ReadonlyMap<number, number>;
}

/** Warms up an SDK while the service is up, then tracks while the page is offline. */
export async function runMainThread(cell: Cell, plan: MainThreadPlan): Promise<MainThreadResult> {
  cell.service.goUp();
  const page = await cell.visit();
  const thread = await MainThread.of(page);
  await within(WARM_UP_MS + DEAF_MS, cell.track(page, WARM_UP));
  await cell.service.settle(WARM_UP.prefix, WARM_UP.count, WARM_UP_PATIENCE);
  cell.service.goDown();
  await within(DEAF_MS, page.context().setOffline(true));
  await within(DEAF_MS, thread.idleBy(Date.now() + WARM_UP_MS));
  thread.called = 0;
  const result = await within(plan.mostMs + DEAF_MS, measure(cell, page, thread, plan));
  return result ?? { called: thread.called, isDone: false, busyMs: plan.mostMs, trackUs: new Map() };
}

async function measure(
  cell: Cell,
  page: Page,
  thread: MainThread,
  { events, backlogs, mostMs }: MainThreadPlan,
): Promise<MainThreadResult> {
  const deadline = Date.now() + mostMs;
  const heapBefore = await thread.heapBytes();
  await page.evaluate(() => driver.longestTaskMs());
  const busyBefore = await thread.busyMs();
  const first = await cell.track(page, { prefix: PREFIX, from: 0, count: events, mostMs });
  const isDone = (await thread.idleBy(deadline)) && first.called === events;
  const busyMs = (await thread.busyMs()) - busyBefore;
  const longTaskMs = await page.evaluate(() => driver.longestTaskMs());
  const result = {
    called: first.called,
    isDone,
    busyMs,
    longestTaskMs: Math.max(longTaskMs, ...first.chunkMs),
  };
  if (!isDone) return { ...result, trackUs: trackCosts(first.chunkMs, backlogs) };

  const heapBytes = (await thread.heapBytes()) - heapBefore;
  const count = (backlogs.at(-1) ?? 0) + CHUNKS * CHUNK_EVENTS - events;
  const left = { prefix: PREFIX, from: events, count, mostMs: deadline - Date.now() };
  const second = await within(left.mostMs + DEAF_MS / 2, cell.track(page, left));
  return {
    ...result,
    heapBytes,
    trackUs: trackCosts([...first.chunkMs, ...(second?.chunkMs ?? [])], backlogs),
  };
}

function trackCosts(chunkMs: readonly number[], backlogs: readonly number[]): Map<number, number> {
  const costs = new Map<number, number>();
  for (const backlog of backlogs) {
    const from = backlog / CHUNK_EVENTS;
    const chunks = chunkMs.slice(from, from + CHUNKS);
    if (chunks.length > 0) costs.set(backlog, (spreadOf(chunks).median / CHUNK_EVENTS) * 1000);
  }
  return costs;
}
