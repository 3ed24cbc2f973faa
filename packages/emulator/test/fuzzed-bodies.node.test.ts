import { CUSTOMER_READ_PATH, EVENTS_PATH, isEvent, requestHeaders } from '@sluice/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { KeptConnections } from './kept-connections.ts';
import { ask, event, generator, sendEvents } from './service.ts';

const SEEDS = [1, 2, 3, 4];
const BODIES_OF_SEED = 2_500;
const CONNECTIONS = 16;
/** No body may keep the emulator busy for so long. */
const HANG_MS = 5_000;
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

/** A valid body in which characters were replaced, taken out, doubled or put in. */
function mutated(random: () => number, text: string): string {
  let body = text;
  for (let changes = 1 + random() * 4; changes > 0; changes -= 1) {
    const at = Math.floor(random() * body.length);
    body = body.slice(0, at) + pick(random, PIECES) + body.slice(at + Math.floor(random() * 8));
  }
  return body;
}

/** A JSON value of fields that mean something, in places where they may not. */
function nonsense(random: () => number, depth = 0): unknown {
  if (depth > 4 || random() < 0.2) return pick(random, VALUES);
  if (random() < 0.4) return Array.from({ length: random() * 4 }, () => nonsense(random, depth + 1));
  const entries = Array.from({ length: random() * 5 }, () => [
    pick(random, FIELDS),
    nonsense(random, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** What a body is at times before it is sent: cut, with a byte that is no UTF-8, or with a byte order mark. */
function bytesOf(random: () => number, body: string): Uint8Array {
  const bytes = new TextEncoder().encode(random() < 0.05 ? `\ufeff${body}` : body);
  if (random() < 0.1 && bytes.length > 0)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.1 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

describe('fuzzed bodies', async () => {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'kept' }] });
  const connections = new KeptConnections(CONNECTIONS, HANG_MS);
  afterAll(async () => {
    connections.close();
    await emulator.close();
  });
  const urls = [
    emulator.baseUrl + EVENTS_PATH,
    emulator.apiUrl + CUSTOMER_READ_PATH,
    `${emulator.apiUrl}/emulator/customers`,
    `${emulator.apiUrl}/emulator/primary-key`,
  ];
  const headers = requestHeaders(emulator.apiKey);
  const kept = { event: event({ event: 'kept' }), uuid: '01234567-89ab-4cde-8f01-23456789abcd' };
  const note = 'a text in which most changes break nothing '.repeat(8);
  const valid = JSON.stringify({
    batch: [event({ payload: { note } }), event({ payload: { note, total: 1 } })],
    primary_key: 'ada',
  });

  /** Sends `bodies` made of a seed, and gives how many events were said to be taken. */
  async function fuzz(seed: number, bodies: number): Promise<number> {
    const random = generator(seed);
    let accepted = 0;
    for (let sent = 0; sent < bodies; sent += CONNECTIONS) {
      const made = Array.from({ length: Math.min(CONNECTIONS, bodies - sent) }, () => {
        const body = bytesOf(
          random,
          random() < 0.5 ? mutated(random, valid) : JSON.stringify(nonsense(random)),
        );
        return { body, url: pick(random, urls.slice(0, 3)) }; // a new primary key would refuse all that follows
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

  it(`of which there are 10,000 are taken or refused with a reason, never failed or hung at, and nothing stored is lost`, async () => {
    await sendEvents(emulator, { ...kept.event, uuid: kept.uuid });
    let accepted = 1;
    for (const seed of SEEDS) {
      accepted += await fuzz(seed, BODIES_OF_SEED);
      const badEvents = seed % 2 === 0 ? 'refuse' : 'leave-out';
      await emulator.changeBehaviour({ behaviour: { badEvents } });
    }
    expect(await emulator.countEvents()).toMatchObject({ received: accepted });
    expect(await emulator.events({ uuid: kept.uuid })).toMatchObject([{ event: kept.event }]);
    expect(await emulator.customer('kept')).toEqual({ email: 'kept', primary_key: 'kept' });
    expect(Object.keys(Object.prototype)).toEqual([]);
    for (const { event: stored } of await emulator.events()) expect(isEvent(stored)).toBe(true);
    expect(accepted).toBeGreaterThan(500);
  });

  it.each(['[', '{"a":', '[{"batch":'])('survive levels and levels of %s', async (open) => {
    const deep = open.repeat(10_000) + (open === '[' ? ']'.repeat(10_000) : '');
    const bodies = [deep, `{"batch":${deep}}`, `{"primary_key":${deep}}`, `[{"email":"x","a":${deep}}]`];
    for (const url of urls) {
      for (const body of bodies) {
        const answer = await ask(url, { method: 'POST', headers: requestHeaders(emulator.apiKey), body });
        expect(answer.status).toBeLessThan(500); // how deep a customer may be is up to JSON.stringify
      }
    }
  });
});
