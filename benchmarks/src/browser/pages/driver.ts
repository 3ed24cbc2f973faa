// The functions that the harness calls in a page. They track events, and observe the main thread from inside.
import { sampleEvent } from '../../workload/sample-event.ts';
import type { Calls, Driver } from './page-driver.ts';
import type { Open, PageEvent, Track } from './page-event.ts';

/** Events tracked in one task. After it the page can run other tasks, as between the clicks and timers of an application. */
const CHUNK_EVENTS = 100;

let track: Track = () => {
  throw new Error('start() comes first');
};
let longestTaskMs = 0;
const tasks = new PerformanceObserver((list) => note(list.getEntries()));
tasks.observe({ type: 'longtask' });

const driver: Driver = {
  async start(page, serviceUrl) {
    const { open }: { open: Open } = await import(`/${page}/entry.js`);
    track = open(serviceUrl);
  },

  async track({ prefix, from, count, mostMs = Number.POSITIVE_INFINITY }) {
    const until = performance.now() + mostMs;
    const chunkMs: number[] = [];
    let called = 0;
    while (called < count && performance.now() < until) {
      const events = makeEvents(prefix, from + called, Math.min(CHUNK_EVENTS, count - called));
      const start = performance.now();
      for (const event of events) track(event);
      chunkMs.push(performance.now() - start);
      called += events.length;
      globalThis.noteCalled?.(String(called));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { called, chunkMs };
  },

  longestTaskMs() {
    note(tasks.takeRecords());
    const longest = longestTaskMs;
    longestTaskMs = 0;
    return longest;
  },
};
Object.assign(globalThis, { driver });

function makeEvents(prefix: Calls['prefix'], from: number, count: number): PageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const { name, payload, correlationValue: customer } = sampleEvent(from + index);
    return { name, customer, payload: { ...payload, bench_id: `${prefix}-${from + index}` } };
  });
}

function note(entries: readonly PerformanceEntry[]): void {
  for (const { duration } of entries) longestTaskMs = Math.max(longestTaskMs, duration);
}
