import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sender } from '../subjects/subject.ts';
import { sampleEvent } from './sample-event.ts';

/** Events tracked in one go before the next turn of the event loop, as in a server between two requests. */
export const TURN_EVENTS = 500;

/** Tracks this many events, and waits until all are delivered. This loop drives every subject. */
export async function drive(sender: Sender, events: number): Promise<void> {
  for (let number = 0; number < events; ) {
    const end = Math.min(number + TURN_EVENTS, events);
    for (; number < end; number += 1) sender.track(sampleEvent(number));
    await nextTurn();
  }
  await sender.flush();
}
