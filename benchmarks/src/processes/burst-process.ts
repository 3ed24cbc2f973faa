// A burst through one subject, after a smaller one as warm-up: a real sender of bursts has been running for a while.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { SUBJECTS } from '../subjects/all.ts';
import type { Sender } from '../subjects/subject.ts';
import { drive } from '../workload/drive.ts';
import type { BurstFigures, BurstSettings, BurstTold } from './burst-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { peakMemoryBytes } from './peak-memory.ts';

/** A pause before and after, so that the monitor of the event loop covers the first turn and the last one. */
const MARGIN_MS = 20;

const { subject: name, warmUp, events, ...settings } = await receiveSettings<BurstSettings>();
const subject = SUBJECTS.find((one) => one.name === name);
if (subject === undefined) throw new RangeError(`there is no subject ${JSON.stringify(name)}`);
const open = await subject.load();
const memoryAtStart = process.memoryUsage.rss();
const sender = open(settings);
await drive(sender, warmUp);
const figures = await measure(sender);
await sender.close();
tell<BurstTold>({ type: 'measured', ...figures });
takeLeave();

async function measure(sender: Sender): Promise<BurstFigures> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await pause(MARGIN_MS);
  const cpuAtStart = process.cpuUsage();
  const startedAt = performance.now();
  await drive(sender, events);
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuAtStart);
  const peakBytes = peakMemoryBytes() - memoryAtStart;
  await pause(MARGIN_MS);
  delays.disable();
  return { elapsedMs, cpuMs: (user + system) / 1000, peakBytes, longestDelayMs: delays.max / 1e6 };
}
