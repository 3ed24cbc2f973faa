// Leaves a backlog. The service is away, and the parent kills this process once all events are in the journal.
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEvent } from '../workload/sample-event.ts';
import type { BacklogSettings, BacklogTold } from './measured-messages.ts';
import { receiveSettings, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

/** The buffer holds 64 MiB. After this many events, the loop waits for the journal. */
const CHUNK = 50_000;

const { baseUrl, journalDirectory, events } = await receiveSettings<BacklogSettings>();
const tracker = openTracker(baseUrl, journalDirectory);
for (let number = 0; number < events; number += 1) {
  const { name, payload, correlationValue } = sampleEvent(number);
  tracker.track(name, payload, { correlationValue });
  if (number % CHUNK === CHUNK - 1) await written();
}
await written();
tell<BacklogTold>({ type: 'left' });

async function written(): Promise<void> {
  while (tracker.stats().unwritten > 0) await pause(1);
}
