// The application. It tracks all events at a steady pace, and nobody tells it what happens to the service.
import { setTimeout as pause } from 'node:timers/promises';
import { readBirdStrikes } from '../bird-strikes.ts';
import { toEvent } from '../strike-event.ts';
import type { TrackerSettings, TrackingMessage } from './messages.ts';
import { receiveSettings, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

const EVENTS_PER_MS = 2;
const TICK_MS = 40;
const MOST_PER_TICK = 200; // on a busy machine, it must not catch up with all events at once
const LOOK_MS = 5;

const tracker = openTracker(await receiveSettings<TrackerSettings>());
const rows = await readBirdStrikes();

const startedAt = performance.now();
let tracked = 0;
while (tracked < rows.length) {
  await pause(TICK_MS);
  const onTime = Math.floor((performance.now() - startedAt) * EVENTS_PER_MS);
  const due = Math.min(rows.length, tracked + MOST_PER_TICK, onTime);
  for (const row of rows.slice(tracked, due)) {
    const { name, payload, options } = toEvent(row, tracked);
    tracker.track(name, payload, options);
    tracked += 1;
  }
  await tell<TrackingMessage>({ type: 'tracked', events: tracked });
}

// track() has returned for all events, but the last few may still be only in memory: a kill would lose them.
while (tracker.stats().unwritten > 0) await pause(LOOK_MS);
const { accepted, pending } = tracker.stats();
await tell<TrackingMessage>({ type: 'written', accepted, pending });
// It does not close the tracker. It runs until its parent ends it.
