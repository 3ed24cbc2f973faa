import { randomUUID } from 'node:crypto';
import type { Event } from '@sluice/protocol';
import type { SampleEvent } from './sample-event.ts';

let cachedMs = Number.NaN;
let cachedText = '';

/** The JSON text of an event with all its fields, made by JSON.stringify. */
export function bareEventText(event: SampleEvent): string {
  return JSON.stringify(bareEvent(event));
}

/** An event with all its fields, for code that serialises it itself. */
export function bareEvent({ name, correlationValue, payload }: SampleEvent): Omit<Event, 'payload'> & {
  payload: object;
} {
  const now = Date.now();
  if (now !== cachedMs) {
    cachedMs = now;
    cachedText = new Date(now).toISOString();
  }
  return {
    event: name,
    correlationKey: 'email',
    correlationValue,
    source: 'custom',
    timestamp: cachedText,
    uuid: randomUUID(),
    payload,
  };
}
