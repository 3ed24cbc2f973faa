// A burst in one loop, and the wait until all of it is delivered. Fresh: nothing is warm, as after a deployment.
import { BareLoop } from '../workload/bare-loop.ts';
import { sampleEvent } from '../workload/sample-event.ts';
import type { BurstSettings, BurstTold } from './measured-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { peakMemoryBytes } from './peak-memory.ts';
import { openTracker } from './tracker.ts';

const FLUSH_TIMEOUT_MS = 120_000;

const { subject, baseUrl, journalDirectory, events } = await receiveSettings<BurstSettings>();
const memoryAtStart = process.memoryUsage.rss();
const cpuAtStart = process.cpuUsage();
const startedAt = performance.now();
const close = subject === 'bare' ? await burstThroughLoop() : await burstThroughTracker(subject);
const elapsedMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuAtStart);
const peakBytes = peakMemoryBytes() - memoryAtStart;
await close();
tell<BurstTold>({ type: 'measured', elapsedMs, cpuMs: (user + system) / 1000, peakBytes });
takeLeave();

async function burstThroughLoop(): Promise<() => Promise<unknown>> {
  const loop = new BareLoop(baseUrl);
  for (let number = 0; number < events; number += 1) loop.track(sampleEvent(number));
  await loop.flush();
  return () => loop.close();
}

async function burstThroughTracker(
  journal: 'default' | 'always' | 'memory',
): Promise<() => Promise<unknown>> {
  const tracker = openTracker(baseUrl, journalDirectory, journal);
  for (let number = 0; number < events; number += 1) {
    const { name, payload, correlationValue } = sampleEvent(number);
    tracker.track(name, payload, { correlationValue });
  }
  await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
  return () => tracker.close();
}
