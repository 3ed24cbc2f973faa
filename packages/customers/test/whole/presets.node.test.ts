// Reads from the service in its possible forms. The interface leaves some behaviour open: each preset of the emulator is one
// plausible interpretation.
import { type EmulatorOptions, type PresetName, startEmulator } from '@sluice/emulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import { type CustomerReader, createCustomerReader } from '../../src/index.ts';
import { rejection, TIMEOUT_MS } from '../scripted-fetch.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };

/** If all refusals have the same status, only the text tells that there is no such customer. */
function isNotFound({ status, body }: { readonly status: number; readonly body: string }): boolean {
  return status === 404 || (status === 400 && body.startsWith('No customer has'));
}

/** A reader with its own service. Both use one clock, on which waits before retries take no time. */
async function readerOf(options: EmulatorOptions, apiKey?: string): Promise<CustomerReader> {
  const clock = new VirtualClock(TIMEOUT_MS);
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now());
  onTestFinished(() => void vi.restoreAllMocks());
  const emulator = await startEmulator({ primaryKey: 'email', customers: [ADA], ...options });
  onTestFinished(() => emulator.close());
  return createCustomerReader({
    ...{ apiUrl: emulator.apiUrl, apiKey: apiKey ?? emulator.apiKey, isNotFound, retries: 20 },
    ...{ clock, timeoutMs: TIMEOUT_MS },
  });
}

describe.each<PresetName>(['plain', 'strict', 'quiet', 'legacy'])('a service of the preset %s', (preset) => {
  it('gives the customer with the primary key, with or without that beside the attributes', async () => {
    const reader = await readerOf({ preset });
    const expected = preset === 'quiet' ? ADA : { ...ADA, primary_key: ADA.email };
    expect(await reader.read(ADA.email)).toEqual(expected);
  });

  it('has no customer with another, which is an error of its own', async () => {
    const reader = await readerOf({ preset });
    expect(await rejection(reader.read('bob@example.com'))).toMatchObject({
      code: 'SLUICE_CUSTOMER_NOT_FOUND',
      primaryKey: 'bob@example.com',
    });
  });

  it('refuses a wrong key once and for all, which is not "no such customer"', async () => {
    const reader = await readerOf({ preset }, 'canary-wrong');
    const error = await rejection(reader.read(ADA.email));
    expect(error).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: false });
    expect(String(error)).not.toContain('canary-wrong');
  });

  it('gives each of many, though it takes only some in a second', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}@example.com`);
    const customers = names.map((email) => ({ email }));
    const reader = await readerOf({ preset, customers, behaviour: { maxRequestsPerSecond: 20 } });
    const read = await Promise.all(names.map((name) => reader.read(name)));
    expect(read.map(({ email }) => email)).toEqual(names);
  });

  it('is asked again where it fails for a while', async () => {
    const reader = await readerOf({
      preset,
      faults: [
        [
          { kind: 'reset', times: 1 },
          { kind: 'status', status: 503, body: '<h1>busy</h1>', times: 1 },
          { kind: 'lost-answer', times: 1 },
        ],
      ],
    });
    expect(await reader.read(ADA.email)).toMatchObject(ADA);
  });
});
