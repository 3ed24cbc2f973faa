import { isUuid } from '@sluice/protocol';
import type { PageEvent, Refused } from '../keep/keeper.ts';
import type { ContextOptions } from '../options.ts';
import { cut } from './addresses.ts';

/** What the relay knows of a request. */
export interface Origin {
  readonly now: number;
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
}

/** What the relay adds to each payload, under its key. */
export type Context = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Undefined if nothing is switched on. */
export function contextOf(options: ContextOptions | undefined, from: Origin): Context | undefined {
  if (options === undefined) return undefined;
  const { key, receivedAt, userAgent, address } = options;
  return {
    [key]: {
      ...(receivedAt && { received_at: new Date(from.now).toISOString() }),
      ...(userAgent && from.userAgent !== undefined && { user_agent: from.userAgent }),
      ...(address && from.address !== undefined && { address: cut(from.address) }),
    },
  };
}

/**
 * Reads the events of a request. Whose they are, the relay says: what the page wrote is not looked at.
 *
 * @param customer Undefined if no ticket is asked for yet: then the page says it.
 */
export function readEvents(
  batch: readonly unknown[],
  customer: string | undefined,
  now: number,
  context: Context | undefined,
): { readonly events: PageEvent[]; readonly refused: Refused[] } {
  const events: PageEvent[] = [];
  const refused: Refused[] = [];
  for (const [index, given] of batch.entries()) {
    if (!isObject(given)) {
      refused.push([index, 'event must be an object']);
      continue;
    }
    const { event, source, timestamp = new Date(now).toISOString(), uuid, payload } = given;
    if (!isUuid(uuid)) {
      refused.push([index, 'uuid must be a UUID']);
      continue;
    }
    const correlationValue = customer ?? given.correlationValue;
    const isPlain = context === undefined || !(payload === undefined || isObject(payload));
    events.push({
      ...{ index, event, correlationValue, source, timestamp, uuid },
      payload: isPlain ? payload : { ...payload, ...context },
    });
  }
  return { events, refused };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
