// A tracker that has delivered all events, and has nothing to do.
import { createHook } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { IdleSettings, IdleTold } from './idle-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker, trackEvent } from './tracker.ts';
import { inTurns } from './turns.ts';

const { baseUrl, journalDirectory, events, restMs, idleMs } = await receiveSettings<IdleSettings>();
// process.getActiveResourcesInfo() leaves out timers that do not keep the process alive, but these wake it too.
const timers = new Set<number>();
const hook = createHook({
  init: (id, type) => void (type === 'Timeout' && timers.add(id)),
  destroy: (id) => void timers.delete(id),
}).enable();

const tracker = openTracker(baseUrl, journalDirectory);
await inTurns(events, (turn) => {
  for (const event of turn) trackEvent(tracker, event);
});
await tracker.flush();
await pauseUnseen(restMs);
const cpuAtStart = process.cpuUsage();
await pauseUnseen(idleMs);
const { user, system } = process.cpuUsage(cpuAtStart);
const left = timers.size;
await tracker.close();
tell<IdleTold>({ type: 'measured', timers: left, cpuMs: (user + system) / 1_000 });
takeLeave();

/** Waits with a timer that is not counted. */
function pauseUnseen(ms: number): Promise<unknown> {
  hook.disable();
  const waiting = pause(ms);
  hook.enable();
  return waiting;
}
