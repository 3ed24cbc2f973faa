import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sender } from '../subjects/subject.ts';
import { sampleEvent } from './sample-event.ts';

/** Events tracked in one go, before the event loop gets its turn, as a server's does between requests. */
export const TURN_EVENTS = 500;

/** Tracks as many events and waits until all are delivered. Every subject is driven by this loop. */
export async function drive(sender: Sender, events: number): Promise<void> {
  for (let number = 0; number < events; ) {
    const end = Math.min(number + TURN_EVENTS, events);
    for (; number < end; number += 1) sender.track(sampleEvent(number));
    await nextTurn();
  }
  await sender.flush();
}
