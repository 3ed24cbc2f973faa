import { type Customer, isSluiceError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { event, readCustomer, sendEvents } from './service.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', phone_number: '1' };
const BOB = { email: 'bob@example.com', first_name: 'Bob' };

describe('the primary key', () => {
  it('is null until it is selected, and then lets both endpoints serve', async () => {
    await using emulator = await startEmulator();
    expect(emulator.primaryKey).toBeNull();
    expect((await sendEvents(emulator, event())).status).toBe(409);
    await emulator.selectPrimaryKey('email');
    await emulator.addCustomers([ADA]);
    expect(emulator.primaryKey).toBe('email');
    expect((await sendEvents(emulator, event())).status).toBe(200);
    expect((await readCustomer(emulator, ADA.email)).status).toBe(200);
  });

  it('can be changed: customers are then found by the other attribute, or not at all', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    await sendEvents(emulator, event());
    await emulator.selectPrimaryKey('phone_number');
    expect(await emulator.customer(ADA.email)).toBeUndefined();
    expect(await emulator.customer('1')).toEqual({ ...ADA, primary_key: '1' });
    expect((await sendEvents(emulator, event())).status).toBe(422);
    expect(await emulator.events()).toMatchObject([{ attributed: false }]);
    await emulator.selectPrimaryKey('email');
    expect(await emulator.customer(BOB.email)).toEqual({ ...BOB, primary_key: BOB.email });
    expect(await emulator.events()).toMatchObject([{ attributed: true }]);
  });

  it('cannot be an attribute that two customers share a value of, and then stays as it was', async () => {
    const twin = { email: 'twin@example.com', first_name: 'Ada' };
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, twin] });
    await expect(emulator.selectPrimaryKey('first_name')).rejects.toThrow(/two have string "Ada"/);
    expect(emulator.primaryKey).toBe('email');
    expect(await emulator.customer(twin.email)).toMatchObject(twin);
  });

  it.each(['', 7, null])('cannot be %j', async (name) => {
    await using emulator = await startEmulator();
    await expect(emulator.selectPrimaryKey(name as string)).rejects.toThrow(/^primaryKey must be the name/);
  });
});

describe('customers', () => {
  it('are added, and replaced whole by one with the same primary key value', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    expect(await emulator.addCustomers(new Set([ADA, BOB]))).toBe(2);
    await emulator.addCustomers([{ email: ADA.email, last_name: 'Lovelace' }]);
    expect(await emulator.customer(ADA.email)).toEqual({
      email: ADA.email,
      last_name: 'Lovelace',
      primary_key: ADA.email,
    });
  });

  it.each<[unknown, string]>([
    [7, 'customers[1] must be an object of attributes, got number 7'],
    [[], 'customers[1] must be an object of attributes, got an array'],
    [
      { first_name: 'Ada' },
      'customers[1].email must be a non-empty string: it is the primary key, got nothing',
    ],
    [{ email: 7 }, 'customers[1].email must be a non-empty string: it is the primary key, got number 7'],
    [{ email: 'x', big: 1n }, 'customers[1] must hold only what JSON can hold: '],
  ])('are added all or not at all, as with %o', async (bad, message) => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const failure = await emulator.addCustomers([ADA, bad as Customer]).catch((error: unknown) => error);
    expect(isSluiceError(failure, 'SLUICE_CONFIG')).toBe(true);
    expect(String(failure)).toContain(message);
    expect(await emulator.customer(ADA.email)).toBeUndefined();
  });

  it('need a primary key first', async () => {
    await using emulator = await startEmulator();
    await expect(emulator.addCustomers([ADA])).rejects.toThrow('only after a primary key has been selected');
    await expect(startEmulator({ customers: [ADA] })).rejects.toThrow('start with --primary-key NAME');
  });
});

describe('an event', () => {
  it('is attributed to the customer with its correlationValue, also one who is added later', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    await sendEvents(emulator, event(), event({ correlationValue: BOB.email }));
    expect(await emulator.events()).toMatchObject([{ attributed: true }, { attributed: false }]);
    expect(await emulator.events({ attributed: true })).toMatchObject([
      { event: { correlationValue: ADA.email } },
    ]);
    expect(await emulator.countEvents({ attributed: false })).toEqual({ unique: 1, received: 1 });
    await emulator.addCustomers([BOB]);
    expect(await emulator.events({ attributed: true })).toHaveLength(2);
    expect(await emulator.countEvents({ attributed: false })).toEqual({ unique: 0, received: 0 });
  });
});
