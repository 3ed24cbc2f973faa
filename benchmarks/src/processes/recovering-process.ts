// Finds a backlog and delivers it.
import { monotonicMs } from '../monotonic-clock.ts';
import type { BacklogSettings, BacklogTold } from './measured-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { peakMemoryBytes } from './peak-memory.ts';
import { openTracker } from './tracker.ts';

const FLUSH_TIMEOUT_MS = 120_000;
const SAMPLE_MS = 250;

const { baseUrl, journalDirectory } = await receiveSettings<BacklogSettings>();
const createdAt = monotonicMs();
const tracker = openTracker(baseUrl, journalDirectory);
const memoryCurve: number[] = [];
const sampling = setInterval(() => memoryCurve.push(process.memoryUsage.rss()), SAMPLE_MS);
await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
const deliveredAt = monotonicMs();
await tracker.close();
clearInterval(sampling);
const peakBytes = peakMemoryBytes();
tell<BacklogTold>({ type: 'delivered', createdAt, deliveredAt, peakBytes, memoryCurve });
takeLeave();
