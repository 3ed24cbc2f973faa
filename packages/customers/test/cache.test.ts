import { describe, expect, it } from 'vitest';
import { cache } from '../src/cache.ts';
import { type Customer, createCustomerReader, type FetchRequest } from '../src/index.ts';
import { ADA, json, rejection, scripted } from './scripted-fetch.ts';

describe('the cache', () => {
  it('is off by default: each read asks the service', async () => {
    const { reader, sent } = scripted([() => json(ADA)]);
    await reader.read('a');
    await reader.read('a');
    expect(sent).toHaveLength(2);
  });

  it('gives a customer again until its time is over', async () => {
    let visits = 0;
    const { reader, clock } = scripted([() => json({ visit: ++visits })], { cache: { ttlMs: 1000 } });
    expect(await reader.read('a')).toEqual({ visit: 1 });
    clock.advance(999);
    expect(await reader.read('a')).toEqual({ visit: 1 });
    clock.advance(1);
    expect(await reader.read('a')).toEqual({ visit: 2 });
    expect(await reader.read('b')).toEqual({ visit: 3 });
  });

  it('lets no caller see what another did to the object', async () => {
    const { reader } = scripted([() => json({ address: { city: 'London' } })], { cache: { ttlMs: 1000 } });
    interface Mutable {
      address: { city: string };
      extra?: string;
    }
    const [first, second] = await Promise.all([reader.read<Mutable>('a'), reader.read<Mutable>('a')]);
    first.address.city = 'Paris';
    first.extra = 'x';
    expect(second).toEqual({ address: { city: 'London' } });
    expect(await reader.read('a')).toEqual({ address: { city: 'London' } });
  });

  it('keeps no failure', async () => {
    const { reader, sent } = scripted(
      [() => json({}, { status: 404 }), () => json({}, { status: 400 }), () => json([]), () => json(ADA)],
      { cache: { ttlMs: 1000 } },
    );
    for (let round = 0; round < 3; round += 1) await rejection(reader.read('a'));
    expect(await reader.read('a')).toEqual(ADA);
    expect(await reader.read('a')).toEqual(ADA);
    expect(sent).toHaveLength(4);
  });

  it('holds what the service gave, not what a schema made of it', async () => {
    const { reader, sent } = scripted([() => json({ age: '36' })], { cache: { ttlMs: 1000 } });
    const validate = (value: unknown): { value: number } => ({ value: Number((value as Customer).age) });
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    expect(await reader.read('a', { schema })).toBe(36);
    expect(await reader.read('a')).toEqual({ age: '36' });
    expect(sent).toHaveLength(1);
  });

  it('forgets the one longest unused when it has its number of customers', async () => {
    const { reader, sent } = scripted([() => json(ADA)], { cache: { ttlMs: 1000, maxEntries: 2 } });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'c', 'b']);
  });

  // An entry has two bytes for each character of the key and of '{"x":""}', and 128 for itself.
  const sized = (bytes: number): Response => json({ x: 'x'.repeat((bytes - 128) / 2 - 9) });

  it('forgets the one longest unused when it has its bytes', async () => {
    const { reader, sent } = scripted([() => sized(1000)], { cache: { ttlMs: 1000, maxBytes: 2000 } });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'c', 'b']);
  });

  it('forgets as many as a large one needs', async () => {
    const steps = [500, 500, 500, 1500, 500].map((bytes) => () => sized(bytes));
    const { reader, sent } = scripted(steps, { cache: { ttlMs: 1000, maxBytes: 2000 } });
    for (const key of ['a', 'b', 'c', 'd', 'c', 'd', 'b']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('does not keep a customer that alone is too large, nor forgets others for it', async () => {
    const steps = [() => sized(1000), () => sized(2002)];
    const { reader, sent } = scripted(steps, { cache: { ttlMs: 1000, maxBytes: 2000 } });
    for (const key of ['a', 'b', 'a', 'b']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'b']);
  });

  it('counts no bytes of what it has given up', async () => {
    const { reader, clock, sent } = scripted([() => sized(1000)], { cache: { ttlMs: 1000, maxBytes: 2000 } });
    for (let round = 0; round < 5; round += 1) {
      await reader.read('a');
      clock.advance(1000);
      await reader.read('b');
      if (round % 2) reader.cache?.delete('a');
      else reader.cache?.clear();
    }
    const before = sent.length;
    for (const key of ['a', 'b', 'a', 'b']) await reader.read(key);
    expect(sent.length - before).toBeLessThanOrEqual(2);
  });

  it('has at most 16 MiB if it is not told otherwise', async () => {
    const megabyte = `{"x":"${'x'.repeat(1_000_000)}"}`;
    const { reader, sent } = scripted([() => new Response(megabyte)], { cache: { ttlMs: 1000 } });
    for (const key of 'abcdefghi') await reader.read(key);
    await reader.read('b');
    expect(sent).toHaveLength(9);
    await reader.read('a');
    expect(sent).toHaveLength(10);
  });

  it('does not trust an entry from the future, after the clock was set back', async () => {
    const { reader, clock, sent } = scripted([() => json(ADA)], { cache: { ttlMs: 1000 } });
    await reader.read('a');
    clock.advance(-1);
    await reader.read('a');
    expect(sent).toHaveLength(2);
  });
});

describe('a customer that is deleted from the cache', () => {
  it('is read anew, and others are not', async () => {
    const { reader, sent } = scripted([() => json(ADA)], { cache: { ttlMs: 1000 } });
    for (const key of ['a', 'b']) await reader.read(key);
    reader.cache?.delete('a');
    reader.cache?.delete('nobody');
    for (const key of ['a', 'b', 'a']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'a']);
  });

  it('like all of them after clear(), is read anew', async () => {
    const { reader, sent } = scripted([() => json(ADA)], { cache: { ttlMs: 1000 } });
    for (const key of ['a', 'b']) await reader.read(key);
    reader.cache?.clear();
    for (const key of ['a', 'b']) await reader.read(key);
    expect(keysOf(sent)).toEqual(['a', 'b', 'a', 'b']);
  });

  it.each(['delete', 'clear'] as const)(
    'while a request is in progress is not kept from it: %s',
    async (method) => {
      const answers: ((response: Response) => void)[] = [];
      const step = (): Promise<Response> => new Promise((resolve) => answers.push(resolve));
      const { reader, sent } = scripted([step], { cache: { ttlMs: 1000 } });
      const before = reader.read('a');
      reader.cache?.[method]('a');
      const after = [reader.read('a'), reader.read('a')];
      answers[1]?.(json({ email: 'new@example.com' }));
      for (const read of after) expect(await read).toEqual({ email: 'new@example.com' });
      answers[0]?.(json({ email: 'old@example.com' }));
      expect(await before).toEqual({ email: 'old@example.com' });
      expect(await reader.read('a')).toEqual({ email: 'new@example.com' });
      expect(sent).toHaveLength(2);
    },
  );

  it('has a reader only if it has a cache', () => {
    const options = { apiUrl: 'http://127.0.0.1:4200', apiKey: 'k' };
    // Without `?.`: the type says that it is there.
    createCustomerReader({ ...options, cache: { ttlMs: 5 }, parts: { cache } }).cache.clear();
    expect(Object.keys(createCustomerReader(options))).toEqual(['read']);
  });
});

function keysOf(sent: readonly { readonly request: FetchRequest }[]): string[] {
  return sent.map(({ request }) => JSON.parse(request.body).primary_key);
}
