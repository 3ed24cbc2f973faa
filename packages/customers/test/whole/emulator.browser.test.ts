import { expect, inject, it } from 'vitest';
import { createCustomerReader } from '../../src/index.ts';
import { rejection } from '../scripted-fetch.ts';

// The emulator that all browser tests share has no customers.
const { apiUrl, apiKey } = inject('emulator');

it('a browser reads across origins, key and all', async () => {
  const error = await rejection(createCustomerReader({ apiUrl, apiKey }).read('bob@example.com'));
  expect(error).toMatchObject({ code: 'SLUICE_CUSTOMER_NOT_FOUND', primaryKey: 'bob@example.com' });
});

it('a browser is told that its key is wrong', async () => {
  const reader = createCustomerReader({ apiUrl, apiKey: 'canary-wrong' });
  const error = await rejection(reader.read('bob@example.com'));
  expect(error).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: false });
  expect(String(error)).toContain('check apiKey');
});

it('a browser without the service is told that it could not be reached', async () => {
  const reader = createCustomerReader({ apiUrl: 'http://127.0.0.1:1', apiKey, retries: 0 });
  expect(await rejection(reader.read('bob@example.com'))).toMatchObject({
    status: undefined,
    retryable: true,
  });
});
