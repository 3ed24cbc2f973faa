// Tracks in turns, faster than events can be delivered, delivers all of them, and reports the peak memory.
import type { MemorySettings, MemoryTold } from './memory-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { peakMemoryBytes } from './peak-memory.ts';
import { openTracker, trackEvent } from './tracker.ts';
import { inTurns } from './turns.ts';

const FLUSH_TIMEOUT_MS = 120_000;

const { baseUrl, journalDirectory, events } = await receiveSettings<MemorySettings>();
const memoryAtStart = process.memoryUsage.rss();
const tracker = openTracker(baseUrl, journalDirectory);
await inTurns(events, (turn) => {
  for (const event of turn) trackEvent(tracker, event);
});
await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
const peakBytes = peakMemoryBytes() - memoryAtStart;
await tracker.close();
tell<MemoryTold>({ type: 'measured', peakBytes });
takeLeave();
