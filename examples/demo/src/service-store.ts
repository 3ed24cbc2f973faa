import type { Event } from '@sluice/protocol';
import type { ValueCount } from './operators.ts';

/** Where to ask the service which events it has. */
export interface StoreAddress {
  readonly apiUrl: string;
  readonly apiKey: string;
}

/** An event as the service stores it. */
export interface StoredEvent {
  readonly event: Event & { readonly payload?: Readonly<Record<string, unknown>> };
  readonly uuid: string;
  /** How many times the service received it. */
  readonly deliveries: number;
  readonly attributed: boolean;
}

export interface StoreCounts {
  /** Events that the service has. A repeated uuid counts once. */
  readonly unique: number;
  /** Events that the service received. Each repeat counts. */
  readonly received: number;
  readonly byCorrelationValue: readonly ValueCount[];
}

const TIMEOUT_MS = 60_000;

/** How many events the service has, and its most frequent correlation values. */
export async function readCounts(address: StoreAddress, limit: number): Promise<StoreCounts> {
  return (await get(address, `/emulator/counts?limit=${limit}`)).json();
}

/** All events that the service has. */
export async function readEvents(address: StoreAddress): Promise<StoredEvent[]> {
  const lines = await (await get(address, '/emulator/events/export?details=true')).text();
  return lines.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
}

async function get({ apiUrl, apiKey }: StoreAddress, path: string): Promise<Response> {
  const response = await fetch(apiUrl + path, {
    headers: { authorization: `Api-Key ${apiKey}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The service answered ${response.status} to GET ${path}`);
  return response;
}
