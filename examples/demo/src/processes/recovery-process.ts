// The application, started again after the crash. It tracks nothing: it delivers only what it finds in the journal.
import type { RecoveryMessage, TrackerSettings } from './messages.ts';
import { receiveSettings, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

const TELL_MS = 40;
const TIMEOUT_MS = 120_000;

const tracker = openTracker(await receiveSettings<TrackerSettings>());
const telling = setInterval(() => tell<RecoveryMessage>({ type: 'draining' }), TELL_MS);
await tracker.flush({ timeoutMs: TIMEOUT_MS });
clearInterval(telling);
await tracker.close({ timeoutMs: TIMEOUT_MS });
const { recovered, delivered, pending } = tracker.stats();
await tell<RecoveryMessage>({ type: 'drained', recovered, delivered, pending });
