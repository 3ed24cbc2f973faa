import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/base/turns.ts';

describe('turns', () => {
  it('come one after the other, whatever becomes of each, and tell it', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const first = turns.take(async () => {
      seen.push('first begins');
      await Promise.resolve();
      seen.push('first ends');
      throw new Error('the first fails');
    });
    const second = turns.take(async () => {
      seen.push('second');
      return 2;
    });
    await expect(first).rejects.toThrow('the first fails');
    expect(await second).toBe(2);
    expect(seen).toEqual(['first begins', 'first ends', 'second']);
  });
});
