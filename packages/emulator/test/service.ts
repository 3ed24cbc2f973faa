// Shared by the tests of this package: requests to an emulator over HTTP, as any client would send them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CUSTOMER_READ_PATH, EVENTS_PATH, type Event, requestHeaders } from '@sluice/protocol';
import { onTestFinished } from 'vitest';

/** What a client knows of an emulator. */
export interface Service {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly apiKey: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request as given. Reads the answer as JSON, if there is one. */
export async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

export function post(url: string, apiKey: string, body: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(url, { method: 'POST', headers: requestHeaders(apiKey), body: text });
}

/** Sends events. `body` may be any text or value, also an invalid one. */
export function send(service: Service, body: unknown): Promise<Answer> {
  return post(service.baseUrl + EVENTS_PATH, service.apiKey, body);
}

export function sendEvents(service: Service, ...batch: Event[]): Promise<Answer> {
  return send(service, { batch });
}

export function readCustomer(service: Service, primaryKeyValue: unknown): Promise<Answer> {
  return post(service.apiUrl + CUSTOMER_READ_PATH, service.apiKey, { primary_key: primaryKeyValue });
}

export function inspect(service: Service, path: string): Promise<Answer> {
  return ask(service.apiUrl + path, { headers: requestHeaders(service.apiKey) });
}

/** Sends a request to an admin route, which needs no key. */
export function admin(service: Service, path: string, init?: RequestInit): Promise<Answer> {
  return ask(`${service.apiUrl}/emulator${path}`, init);
}

/** Sends a value as JSON to an admin route. */
export function tellAdmin(service: Service, method: string, path: string, value: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return admin(service, path, { method, headers, body: JSON.stringify(value) });
}

/** An event with the correlation key `email`, and defaults for the other fields. */
export function event(fields: Partial<Event> = {}): Event {
  return {
    event: 'purchase',
    correlationKey: 'email',
    correlationValue: 'ada@example.com',
    source: 'custom',
    ...fields,
  };
}

/** A directory that is deleted after the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-emulator-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A small seeded generator of numbers in [0, 1) (mulberry32), so that a failure can be repeated. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
