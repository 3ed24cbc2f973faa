// A server that tracks 2,000 events per second. Measures its CPU time, and the delay of its event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { PacedLoop } from '../workload/paced-loop.ts';
import { type SampleEvent, sampleEvent } from '../workload/sample-event.ts';
import type { PacedSettings, PacedSubject, PacedTold } from './paced-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker, trackEvent } from './tracker.ts';
import { inTurns } from './turns.ts';

interface Taker {
  track(event: SampleEvent): void;
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

const EVENTS_PER_MS = 2;
const TICK_MS = 5;
/** A server runs for long: the compiler has settled. */
const WARM_UP = 20_000;
const SAMPLE_MS = 2;
const NS_PER_MS = 1e6;

const { subject, baseUrl, journalDirectory, seconds } = await receiveSettings<PacedSettings>();
const taker = openTaker(subject);
await inTurns(WARM_UP, (turn) => {
  for (const event of turn) taker.track(event);
});
await taker.flush();
await pause(500);

const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
delay.enable();
const cpuAtStart = process.cpuUsage();
const paced = await trackPaced(seconds * 1_000);
const { user, system } = process.cpuUsage(cpuAtStart);
delay.disable();
await taker.flush();
await taker.close();
const tracked = subject === 'nothing' ? 0 : WARM_UP + paced;
const delayP99Ms = delay.percentile(99) / NS_PER_MS;
tell<PacedTold>({ type: 'measured', paced, tracked, cpuMs: (user + system) / 1_000, delayP99Ms });
takeLeave();

/** Each tick tracks the events that are due. Usually these are 10, but timers are sometimes late. */
function trackPaced(durationMs: number): Promise<number> {
  const startedAt = performance.now();
  let tracked = 0;
  return new Promise((resolve) => {
    const ticking = setInterval(() => {
      const elapsedMs = Math.min(performance.now() - startedAt, durationMs);
      for (; tracked < elapsedMs * EVENTS_PER_MS; tracked += 1) taker.track(sampleEvent(tracked));
      if (elapsedMs < durationMs) return;
      clearInterval(ticking);
      resolve(tracked);
    }, TICK_MS);
  });
}

function openTaker(subject: PacedSubject): Taker {
  if (subject === 'bare') return new PacedLoop(baseUrl);
  if (subject === 'nothing') {
    return { track: () => undefined, flush: async () => undefined, close: async () => undefined };
  }
  const tracker = openTracker(baseUrl, journalDirectory);
  return {
    track: (event) => trackEvent(tracker, event),
    flush: () => tracker.flush(),
    close: () => tracker.close(),
  };
}
