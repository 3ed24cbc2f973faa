import { expect, it } from 'vitest';
import { createCustomerReader } from '../src/index.ts';

it('options show no key of 300,000 characters either', () => {
  const apiKey = 'canary'.repeat(50_000);
  const options = { apiUrl: 'http://127.0.0.1:4200', apiKey };
  createCustomerReader(options);
  const failure = expect.objectContaining({ code: 'SLUICE_CONFIG', option: '[key]' });
  expect(() => createCustomerReader({ ...options, [apiKey]: 1 })).toThrow(failure);
});
