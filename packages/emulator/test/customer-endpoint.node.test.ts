import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { readCustomer } from './service.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', phone_number: '+44 1' };

describe('reading a customer', async () => {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
  afterAll(() => emulator.close());

  it('answers the stored pairs and the primary key', async () => {
    const answer = await readCustomer(emulator, ADA.email);
    expect(answer).toMatchObject({ status: 200, body: { ...ADA, primary_key: ADA.email } });
    expect(await emulator.customer(ADA.email)).toEqual(answer.body);
  });

  it('answers an error that says so where there is no such customer', async () => {
    expect(await readCustomer(emulator, 'nobody@example.com')).toMatchObject({
      status: 404,
      body: { error: { code: 'customer_not_found', message: expect.stringContaining('nobody@example.com') } },
    });
    expect(await emulator.customer('nobody@example.com')).toBeUndefined();
  });

  it('compares the primary key exactly', async () => {
    for (const value of ['ADA@example.com', ' ada@example.com', 'ada@example.com\0', '%']) {
      expect((await readCustomer(emulator, value)).status).toBe(404);
    }
  });

  it('answers attributes that are not strings, and one named __proto__, as they are', async () => {
    await emulator.addCustomers([
      JSON.parse('{"email":"odd","visits":7,"tags":["a"],"none":null,"__proto__":{"x":1}}'),
    ]);
    const { body } = await readCustomer(emulator, 'odd');
    expect(JSON.stringify(body)).toBe(
      '{"email":"odd","visits":7,"tags":["a"],"none":null,"__proto__":{"x":1},"primary_key":"odd"}',
    );
  });

  it('answers an attribute named primary_key as it is stored', async () => {
    const customers = [{ email: 'own', primary_key: null }];
    await using other = await startEmulator({ primaryKey: 'email', customers });
    for (const answersPrimaryKey of [true, false]) {
      await other.changeBehaviour({ behaviour: { answersPrimaryKey } });
      expect((await readCustomer(other, 'own')).body).toEqual(customers[0]);
    }
    expect(await other.customer('own')).toEqual(customers[0]);
  });
});
