import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SampleEvent, sampleEvent } from '../workload/sample-event.ts';

const TURN_EVENTS = 500;

/** Passes on events, 500 in each turn of the event loop, like a busy server that never rests. */
export async function inTurns(events: number, take: (events: readonly SampleEvent[]) => void): Promise<void> {
  for (let from = 0; from < events; from += TURN_EVENTS) {
    const length = Math.min(TURN_EVENTS, events - from);
    take(Array.from({ length }, (_, index) => sampleEvent(from + index)));
    await nextTurn();
  }
}
