import { identified, outOfSession } from '../../accept/unidentified.ts';
import { type EventBytes, encodeEvents, splitEvents } from '../../base/event-bytes.ts';

/** The stored events of a session, with their customer. Leaves out the events of other sessions. */
export function stampEvents(stored: EventBytes, session: string | undefined, customer: string): EventBytes {
  const texts: string[] = [];
  const times: number[] = [];
  for (const [index, bytes] of splitEvents(stored).entries()) {
    const text = session === undefined ? undefined : outOfSession(new TextDecoder().decode(bytes), session);
    if (text === undefined) continue;
    texts.push(identified(text, customer));
    times.push(stored.times?.[index] ?? Number.NaN);
  }
  return encodeEvents(texts, times);
}
