// Leaves a backlog: the service is not there, and the parent kills this process once all is in the journal.
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEvent } from '../workload/sample-event.ts';
import type { BacklogSettings, BacklogTold } from './measured-messages.ts';
import { receiveSettings, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

/** The ring holds 64 MiB: the journal gets a turn before it is full. */
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
