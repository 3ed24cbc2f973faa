import { randomUUID } from 'node:crypto';
import type { Event } from '@sluice/protocol';
import type { SampleEvent } from './sample-event.ts';

let cachedMs = Number.NaN;
let cachedText = '';

/** The JSON text of an event with all its fields, and nothing more: what any tracker has to do for one. */
export function bareEventText({ name, correlationValue, payload }: SampleEvent): string {
  const now = Date.now();
  if (now !== cachedMs) {
    cachedMs = now;
    cachedText = new Date(now).toISOString();
  }
  return JSON.stringify({
    event: name,
    correlationKey: 'email',
    correlationValue,
    source: 'custom',
    timestamp: cachedText,
    uuid: randomUUID(),
    payload,
  } satisfies Omit<Event, 'payload'> & { payload: object });
}
