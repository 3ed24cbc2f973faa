import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { Account } from './account.ts';
import { type Application, addRoute, type RequestContext } from './application.ts';
import { authenticate } from './authentication.ts';
import { readFilter, readQuery } from './inspection-query.ts';
import { requirePrimaryKey } from './primary-key.ts';
import { Refusal } from './refusal.ts';
import { OPERATOR_BODY_BYTES, readJsonBody } from './request-body.ts';
import type { EventRow } from './storage/event-store.ts';

// These routes are not part of the interface: only the emulator has them. They need an API key. Only adding customers needs a
// primary key.
const EVENTS = '/emulator/events';
const COUNTS = '/emulator/counts';
const PRIMARY_KEY = '/emulator/primary-key';
const CUSTOMERS = '/emulator/customers';

const BODY = { maxBytes: OPERATOR_BODY_BYTES };

/** The paths of the inspection endpoints, for messages. */
export const INSPECTION_PATHS: readonly string[] = [EVENTS, COUNTS, PRIMARY_KEY, CUSTOMERS];

/** Adds the endpoints that let another process set up and inspect the emulator. */
export function addInspectionEndpoints(application: Application, account: Account): void {
  const add = (method: 'GET' | 'POST', path: string, handle: (context: RequestContext) => unknown): void => {
    addRoute(application, method, path, async (context) => {
      authenticate(context.req.header('authorization'), account.apiKeys);
      try {
        const text = await handle(context);
        return context.body(String(text), 200, { 'content-type': 'application/json' });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new Refusal('invalid_field', error.message, { field: error.option });
      }
    });
  };
  add('GET', EVENTS, (context) => {
    const rows = account.events.find(readQuery(new URL(context.req.url).searchParams));
    return `{"events":[${rows.map(eventText).join(',')}]}`;
  });
  add('GET', COUNTS, (context) => {
    const { limit, filter } = readFilter(new URL(context.req.url).searchParams);
    const byEvent = account.events.countBy('event', limit, filter);
    const byCorrelationValue = account.events.countBy('correlationValue', limit, filter);
    return JSON.stringify({ ...account.events.count(filter), byEvent, byCorrelationValue });
  });
  add('POST', PRIMARY_KEY, async (context) => {
    const { value } = await readJsonBody(context.env.incoming, BODY);
    const isObject = typeof value === 'object' && value !== null;
    account.selectPrimaryKey(isObject ? Reflect.get(value, 'primaryKey') : undefined);
    return JSON.stringify({ primaryKey: account.primaryKey });
  });
  add('POST', CUSTOMERS, async (context) => {
    requirePrimaryKey(account);
    const { value } = await readJsonBody(context.env.incoming, BODY);
    if (!Array.isArray(value)) {
      throw new ConfigError('body', `body must be an array of customers, got ${describe(value)}`);
    }
    return JSON.stringify({ customers: account.addCustomers(value) });
  });
}

// The event is inserted as the text that was received. Serialising it again could change it, or fail because it is too deep.
function eventText({ text, ...rest }: EventRow): string {
  return `{"event":${text},${JSON.stringify(rest).slice(1)}`;
}
