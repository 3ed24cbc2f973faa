// Random bodies, made from seeds, so that a failure can be repeated.
import { CUSTOMER_READ_PATH, EVENTS_PATH, isEvent, requestHeaders } from '@sluice/protocol';
import { expect } from 'vitest';
import { type Emulator, startEmulator } from '../src/index.ts';
import { KeptConnections } from './kept-connections.ts';
import { event, generator, sendEvents } from './service.ts';

const CONNECTIONS = 16;
/** No body may keep the emulator busy for this long. A busy machine does not make it this slow. */
const HANG_MS = 60_000;
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  '1e999',
  '-',
  '0x',
  '\0',
  '🌊',
];
const FIELDS = [
  'batch',
  'event',
  'correlationKey',
  'correlationValue',
  'uuid',
  'payload',
  '__proto__',
  'primary_key',
];
const VALUES = [null, true, -0, 1e308, '', 'email', 'constructor', [], {}, [[]], [null], '\ud800', ' '];

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** A valid body with some characters replaced, removed, doubled or inserted. */
function mutated(random: () => number, text: string): string {
  let body = text;
  for (let changes = 1 + random() * 4; changes > 0; changes -= 1) {
    const at = Math.floor(random() * body.length);
    body = body.slice(0, at) + pick(random, PIECES) + body.slice(at + Math.floor(random() * 8));
  }
  return body;
}

/** A JSON value with known fields, in places where they may not belong. */
function nonsense(random: () => number, depth = 0): unknown {
  if (depth > 4 || random() < 0.2) return pick(random, VALUES);
  if (random() < 0.4) return Array.from({ length: random() * 4 }, () => nonsense(random, depth + 1));
  const entries = Array.from({ length: random() * 5 }, () => [
    pick(random, FIELDS),
    nonsense(random, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** The bytes of a body: sometimes cut, with a byte that is not UTF-8, or with a byte order mark. */
function bytesOf(random: () => number, body: string): Uint8Array {
  const bytes = new TextEncoder().encode(random() < 0.05 ? `\ufeff${body}` : body);
  if (random() < 0.1 && bytes.length > 0)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.1 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

const NOTE = 'a text in which most changes break nothing '.repeat(8);
const VALID = JSON.stringify({
  batch: [event({ payload: { note: NOTE } }), event({ payload: { note: NOTE, total: 1 } })],
  primary_key: 'ada',
});

/**
 * Sends this many bodies of each seed to an emulator. Each must be accepted, or refused with a reason. None may fail or hang, and
 * no stored data may be lost.
 */
export async function fuzzBodies(seeds: readonly number[], bodiesOfSeed: number): Promise<void> {
  await using emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'kept' }] });
  using connections = new KeptConnections(CONNECTIONS, HANG_MS);
  const kept = { event: event({ event: 'kept' }), uuid: '01234567-89ab-4cde-8f01-23456789abcd' };
  await sendEvents(emulator, { ...kept.event, uuid: kept.uuid });
  let accepted = 1;
  for (const [index, seed] of seeds.entries()) {
    accepted += await sendBodies(emulator, connections, seed, bodiesOfSeed);
    const badEvents = index % 2 === 0 ? 'leave-out' : 'refuse';
    await emulator.changeBehaviour({ behaviour: { badEvents } });
  }
  expect(await emulator.countEvents()).toMatchObject({ received: accepted });
  expect(await emulator.events({ uuid: kept.uuid })).toMatchObject([{ event: kept.event }]);
  expect(await emulator.customer('kept')).toEqual({ email: 'kept', primary_key: 'kept' });
  expect(Object.keys(Object.prototype)).toEqual([]);
  for (const { event: stored } of await emulator.events()) expect(isEvent(stored)).toBe(true);
  expect(accepted).toBeGreaterThan((seeds.length * bodiesOfSeed) / 20);
}

/** Returns how many events were accepted, as the answers say. */
async function sendBodies(
  { baseUrl, apiUrl, apiKey }: Emulator,
  connections: KeptConnections,
  seed: number,
  bodies: number,
): Promise<number> {
  const random = generator(seed);
  const headers = requestHeaders(apiKey);
  // The route of the primary key is missing: a new primary key would refuse all later events.
  const urls = [baseUrl + EVENTS_PATH, apiUrl + CUSTOMER_READ_PATH, `${apiUrl}/emulator/customers`];
  let accepted = 0;
  for (let sent = 0; sent < bodies; sent += CONNECTIONS) {
    const made = Array.from({ length: Math.min(CONNECTIONS, bodies - sent) }, () => {
      const text = random() < 0.5 ? mutated(random, VALID) : JSON.stringify(nonsense(random));
      return { body: bytesOf(random, text), url: pick(random, urls) };
    });
    const answers = made.map(async ({ body, url }) => {
      const { status, text } = await connections.post(url, headers, body);
      const what = `seed ${seed}: ${Buffer.from(body)}`;
      expect(status, what).toBeLessThan(500);
      const answer = JSON.parse(text);
      if (status < 300) accepted += answer.accepted ?? 0;
      else
        expect(answer, what).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String) },
        });
    });
    await Promise.all(answers);
  }
  return accepted;
}
