import { describe, expect, it } from 'vitest';
import { type Customer, createCustomerReader, isSluiceError } from '../src/index.ts';
import { ADA, json, KEY, rejection, scripted } from './scripted-fetch.ts';

describe('a read', () => {
  it('posts the primary key with the key of the account, as the interface says', async () => {
    const { reader, sent } = scripted([() => json(ADA)], { apiUrl: 'http://127.0.0.1:4200/eu/' });
    await reader.read('ada@example.com');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe('http://127.0.0.1:4200/eu/customers/read');
    expect(sent[0]?.request).toMatchObject({
      method: 'POST',
      headers: { authorization: `Api-Key ${KEY}`, 'content-type': 'application/json' },
      body: '{"primary_key":"ada@example.com"}',
      redirect: 'manual',
    });
  });

  it('gives all key/value pairs, also those the interface does not name', async () => {
    const customer = {
      ...ADA,
      primary_key: 'ada@example.com',
      age: 36,
      tags: ['a'],
      address: { city: 'London' },
    };
    const { reader } = scripted([() => json(customer)]);
    const read: Customer = await reader.read('ada@example.com');
    expect(read).toEqual(customer);
  });

  it('takes the type that the caller names', async () => {
    interface MyCustomer {
      readonly email: string;
    }
    const { reader } = scripted([() => json(ADA)]);
    const email: string = (await reader.read<MyCustomer>('ada@example.com')).email;
    expect(email).toBe('ada@example.com');
  });

  it('sends any text as a primary key, as JSON', async () => {
    const { reader, sent } = scripted([() => json({})]);
    for (const key of [' ', '"\\\r\n', '__proto__', 'żółć 🦉', '\ud800', 'x'.repeat(100_000)]) {
      await reader.read(key);
      expect(JSON.parse(sent.at(-1)?.request.body ?? '')).toEqual({ primary_key: key });
    }
  });

  it('leaves Object.prototype alone, whatever the names of the attributes', async () => {
    const { reader } = scripted([() => new Response('{"__proto__":{"polluted":1},"constructor":2}')]);
    const customer = await reader.read('a');
    expect(Object.keys(customer)).toEqual(['__proto__', 'constructor']);
    expect(({} as Customer).polluted).toBeUndefined();
    expect(customer.polluted).toBeUndefined();
  });

  it.each<[unknown, string]>([
    ['', 'an empty string'],
    [7, 'number 7'],
    [undefined, 'nothing'],
    [null, 'null'],
    [{ toString: () => 'a' }, 'an object'],
  ])('of something else than a text is rejected, and nothing is sent (%#)', async (key, got) => {
    const { reader, sent } = scripted([() => json(ADA)]);
    const error = await rejection(reader.read(key as string));
    expect(error).toMatchObject({
      code: 'SLUICE_CONFIG',
      option: 'primaryKey',
      message: `primaryKey must be a non-empty string, got ${got}`,
    });
    expect(sent).toHaveLength(0);
  });

  it.each<[unknown, string]>([
    [null, 'options must be an object, got null'],
    ['canary-key', 'options must be an object, got a string'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal, got an object'],
    [{ signal: KEY }, 'signal must be an AbortSignal, got string "[key]"'],
    [{ [KEY]: 1 }, '[key] is not an option; there are signal, schema'],
    [{ timeoutMs: 5 }, 'timeoutMs is not an option; there are signal, schema'],
  ])('with wrong options is rejected, and nothing is sent (%#)', async (options, message) => {
    const { reader, sent } = scripted([() => json(ADA)]);
    const error = await rejection(reader.read('a', options as never));
    expect(error).toMatchObject({ code: 'SLUICE_CONFIG', message });
    expect(sent).toHaveLength(0);
  });

  it('with a signal that has aborted rejects with its reason, and nothing is sent', async () => {
    const { reader, sent } = scripted([() => json(ADA)], { cache: { ttlMs: 1000 } });
    const reason = new Error('gone');
    expect(await rejection(reader.read('a', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(sent).toHaveLength(0);
  });
});

describe('a reader', () => {
  it('sends nothing until it is asked', () => {
    expect(scripted([() => json(ADA)]).sent).toHaveLength(0);
  });

  it('shows no key as JSON, in its properties, or as a text', () => {
    const reader = createCustomerReader({ apiUrl: 'http://127.0.0.1:4200', apiKey: KEY });
    expect(JSON.stringify(reader)).toBe('{}');
    expect(Reflect.ownKeys(reader)).toEqual(['read']);
    expect(String(reader)).not.toContain(KEY);
  });

  it('rejects with errors that the guard of the protocol knows', async () => {
    const { reader } = scripted([() => json({}, { status: 404 })]);
    expect(isSluiceError(await rejection(reader.read('a')), 'SLUICE_CUSTOMER_NOT_FOUND')).toBe(true);
  });
});
