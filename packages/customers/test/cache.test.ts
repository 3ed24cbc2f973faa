import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { createCache } from '../src/cache.ts';
import type { Customer } from '../src/index.ts';
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

  it('forgets the one longest unused when it is full', () => {
    const cache = createCache({ ttlMs: 1000, maxEntries: 2 }, new VirtualClock());
    cache.set('a', '1');
    cache.set('b', '2');
    expect(cache.get('a')).toBe('1');
    cache.set('c', '3');
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBe('1');
    expect(cache.get('c')).toBe('3');
    cache.set('c', '4');
    expect(cache.get('a')).toBe('1');
    expect(cache.get('c')).toBe('4');
  });

  it('does not trust an entry from the future, after the clock was set back', () => {
    const clock = new VirtualClock();
    const cache = createCache({ ttlMs: 1000, maxEntries: 2 }, clock);
    cache.set('a', '1');
    clock.advance(-1);
    expect(cache.get('a')).toBeUndefined();
  });
});
