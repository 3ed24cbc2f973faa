// Finds a backlog and delivers it.
import { monotonicMs } from '../monotonic-clock.ts';
import type { BacklogSettings, BacklogTold } from './measured-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

const FLUSH_TIMEOUT_MS = 120_000;

const { baseUrl, journalDirectory } = await receiveSettings<BacklogSettings>();
const createdAt = monotonicMs();
const tracker = openTracker(baseUrl, journalDirectory);
await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
await tracker.close();
tell<BacklogTold>({ type: 'delivered', createdAt });
takeLeave();
