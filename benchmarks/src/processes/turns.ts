import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SampleEvent, sampleEvent } from '../workload/sample-event.ts';

const TURN_EVENTS = 500;

/** Hands out events in turns of the event loop, 500 in each: as a busy server would track them that never rests. */
export async function inTurns(events: number, take: (events: readonly SampleEvent[]) => void): Promise<void> {
  for (let from = 0; from < events; from += TURN_EVENTS) {
    const length = Math.min(TURN_EVENTS, events - from);
    take(Array.from({ length }, (_, index) => sampleEvent(from + index)));
    await nextTurn();
  }
}
