import { ConfigError } from '@sluice/protocol';
import { Refusal } from '../events/refusal.ts';
import { authenticate } from '../http/authentication.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoute } from '../running/application.ts';
import type { EventRow } from '../storage/events/event-store.ts';
import { readFilter, readQuery } from './inspection-query.ts';

// These routes are not part of the interface: only the emulator has them. They need an API key, so pages of any origin may use them.
const EVENTS = '/emulator/events';
const COUNTS = '/emulator/counts';

/** The paths of the inspection endpoints, for messages. */
export const INSPECTION_PATHS: readonly string[] = [EVENTS, COUNTS];

/** Adds the endpoints that let another process inspect the emulator. */
export function addInspectionEndpoints(application: Application, account: Account): void {
  const add = (path: string, handle: (query: URLSearchParams) => string): void => {
    addRoute(application, 'GET', path, (context) => {
      authenticate(context.req.header('authorization'), account.apiKeys);
      try {
        return context.body(handle(new URL(context.req.url).searchParams), 200, {
          'content-type': 'application/json',
        });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new Refusal('invalid_field', error.message, { field: error.option });
      }
    });
  };
  add(EVENTS, (query) => {
    const rows = account.events.find(readQuery(query));
    return `{"events":[${rows.map(eventText).join(',')}]}`;
  });
  add(COUNTS, (query) => {
    const { limit, filter } = readFilter(query);
    const byEvent = account.events.countBy('event', limit, filter);
    const byCorrelationValue = account.events.countBy('correlationValue', limit, filter);
    return JSON.stringify({ ...account.events.count(filter), byEvent, byCorrelationValue });
  });
}

// The event is inserted as the text that was received. Serialising it again could change it, or fail because it is too deep.
function eventText({ text, ...rest }: EventRow): string {
  return `{"event":${text},${JSON.stringify(rest).slice(1)}`;
}
