import { startEmulator } from '@sluice/emulator';
import { describe, expect, it } from 'vitest';
import { createCustomerReader } from '../../src/index.ts';
import { rejection } from '../scripted-fetch.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };

describe('the emulator', () => {
  it('gives the customer with the primary key', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const { apiUrl, apiKey } = emulator;
    const reader = createCustomerReader({ apiUrl, apiKey });
    expect(await reader.read('ada@example.com')).toMatchObject(ADA);
  });

  it('has no customer with another', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const { apiUrl, apiKey } = emulator;
    const error = await rejection(createCustomerReader({ apiUrl, apiKey }).read('bob@example.com'));
    expect(error).toMatchObject({ code: 'SLUICE_CUSTOMER_NOT_FOUND', primaryKey: 'bob@example.com' });
  });

  it('refuses a wrong key', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const reader = createCustomerReader({ apiUrl: emulator.apiUrl, apiKey: 'canary-wrong' });
    const error = await rejection(reader.read('ada@example.com'));
    expect(error).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: false });
    expect(String(error)).toContain('check apiKey');
    expect(String(error)).not.toContain('canary-wrong');
  });

  it('refuses until a primary key has been selected, which is not "no such customer"', async () => {
    await using emulator = await startEmulator();
    const { apiUrl, apiKey } = emulator;
    const error = await rejection(createCustomerReader({ apiUrl, apiKey }).read('ada@example.com'));
    expect(error).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: false });
    await emulator.selectPrimaryKey('email');
    await emulator.addCustomers([ADA]);
    expect(await createCustomerReader({ apiUrl, apiKey }).read('ada@example.com')).toMatchObject(ADA);
  });

  it('says that a path is unknown as it says that a customer is, and the error hints at it', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const { apiUrl, apiKey } = emulator;
    const reader = createCustomerReader({ apiUrl: `${apiUrl}/wrong`, apiKey });
    const error = await rejection(reader.read('ada@example.com'));
    expect(error).toMatchObject({ code: 'SLUICE_CUSTOMER_NOT_FOUND' });
    expect(String(error)).toContain('check apiUrl');
  });
});
