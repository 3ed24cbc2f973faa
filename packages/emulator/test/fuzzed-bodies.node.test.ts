import { CUSTOMER_READ_PATH, EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { ask, event, generator } from './service.ts';

const ROUNDS = 300;
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
  for (let changes = 1 + random() * 6; changes > 0; changes -= 1) {
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

describe('fuzzed bodies', async () => {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'kept' }] });
  afterAll(() => emulator.close());
  const urls = [
    emulator.baseUrl + EVENTS_PATH,
    emulator.apiUrl + CUSTOMER_READ_PATH,
    `${emulator.apiUrl}/emulator/customers`,
    `${emulator.apiUrl}/emulator/primary-key`,
  ];
  const valid = JSON.stringify({ batch: [event({ payload: { total: 1 } }), event()], primary_key: 'ada' });

  it.each([1, 2, 3])('are taken or refused with a reason, never failed at (seed %d)', async (seed) => {
    const random = generator(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = random() < 0.5 ? mutated(random, valid) : JSON.stringify(nonsense(random));
      const url = pick(random, urls.slice(0, 3)); // a new primary key would refuse all that follows
      const answer = await ask(url, { method: 'POST', headers: requestHeaders(emulator.apiKey), body });
      expect(answer.status, body).toBeLessThan(500);
      if (answer.status !== 200) {
        expect(answer.body, body).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String) },
        });
      }
    }
    expect(await emulator.customer('kept')).toEqual({ email: 'kept', primary_key: 'kept' });
    expect(Object.keys(Object.prototype)).toEqual([]);
    for (const { event: stored } of await emulator.events())
      expect(stored).toMatchObject({ source: 'custom' });
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
