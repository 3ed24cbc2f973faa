import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SampleEvent, sampleEvent } from '../workload/sample-event.ts';

const TURN_EVENTS = 500;

/** Hands out events in turns of the event loop: 500 in each, as a busy server that never rests would track them. */
export async function inTurns(
  events: number,
  track: (event: SampleEvent) => void,
  endTurn: () => void = () => undefined,
): Promise<void> {
  for (let number = 0; number < events; number += 1) {
    track(sampleEvent(number));
    if ((number + 1) % TURN_EVENTS !== 0) continue;
    endTurn();
    await nextTurn();
  }
}
