import { readRules, whole } from '@sluice/protocol/toolbox';
import { valuesOf } from '../admin/request-query.ts';
import { readFilter, readQuery } from '../events/tracked-events.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes, type RequestContext } from '../running/application.ts';
import type { EventRow } from '../storage/event-rows.ts';

// These routes are not part of the interface: only the emulator has them. They need an API key, so pages of any origin may use them.
const EVENTS = '/emulator/events';
const COUNTS = '/emulator/counts';
const EVENTS_LIMIT = { limit: whole(100, 0, 10_000) };
const VALUES_LIMIT = { limit: whole(10, 0) };

/** The paths of the inspection endpoints, for messages. */
export const INSPECTION_PATHS: readonly string[] = [EVENTS, COUNTS];

/** Adds the endpoints that let another process inspect the emulator. */
export function addInspectionEndpoints(application: Application, { apiKeys, events }: Account): void {
  const add = (path: string, handle: (query: Readonly<Record<string, unknown>>) => string): void => {
    const GET = (context: RequestContext) => {
      apiKeys.authenticate(context.req.header('authorization'));
      const query = valuesOf(Object.entries(context.req.query()));
      return context.body(handle({ ...query }), 200, { 'content-type': 'application/json' });
    };
    addRoutes(application, path, { GET });
  };
  add(EVENTS, ({ limit, ...query }) => {
    const read = { ...readQuery(query), ...readRules(EVENTS_LIMIT, '', { limit }) };
    return `{"events":[${events.find(read).map(eventText).join(',')}]}`;
  });
  add(COUNTS, ({ limit: given, ...fields }) => {
    const filter = readFilter(fields);
    const limit = Number(readRules(VALUES_LIMIT, '', { limit: given }).limit);
    const byEvent = events.countBy('event', limit, filter);
    const byCorrelationValue = events.countBy('correlationValue', limit, filter);
    return JSON.stringify({ ...events.count(filter), byEvent, byCorrelationValue });
  });
}

// The event is inserted as the text that was received. Serialising it again could change it, or fail because it is too deep.
function eventText({ text, ...rest }: EventRow): string {
  return `{"event":${text},${JSON.stringify(rest).slice(1)}`;
}
