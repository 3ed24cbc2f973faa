import { CUSTOMER_READ_PATH, EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { few } from '../../../testing/full.ts';
import { startEmulator } from '../src/index.ts';
import { fuzzBodies } from './fuzzed-bodies.ts';
import { ask } from './service.ts';

describe('fuzzed bodies', () => {
  it('are taken or refused with a reason, never failed or hung at, and nothing stored is lost', () =>
    fuzzBodies(few(1, [1, 2]), 200));

  it.each(['[', '{"a":', '[{"batch":'])('survive levels and levels of %s', async (open) => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { baseUrl, apiUrl, apiKey } = emulator;
    const urls = [baseUrl + EVENTS_PATH, apiUrl + CUSTOMER_READ_PATH, `${apiUrl}/emulator/customers`];
    const deep = open.repeat(10_000) + (open === '[' ? ']'.repeat(10_000) : '');
    const bodies = [deep, `{"batch":${deep}}`, `{"primary_key":${deep}}`, `[{"email":"x","a":${deep}}]`];
    for (const url of urls) {
      for (const body of bodies) {
        const answer = await ask(url, { method: 'POST', headers: requestHeaders(apiKey), body });
        expect(answer.status).toBeLessThan(500); // JSON.stringify limits how deep a customer can be
      }
    }
  });
});
