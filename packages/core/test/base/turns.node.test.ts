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

  it('wait for work that had begun before, also if that fails before its turn', async () => {
    const turns = new Turns();
    let end = (): void => {};
    turns.add(
      new Promise<void>((resolve) => {
        end = resolve;
      }),
    );
    // If nothing handled it, the test run would fail.
    turns.add(Promise.reject(new Error('fails at once')));
    let hasEnded = false;
    const ended = turns.ended().then(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setTimeout(resolve));
    expect(hasEnded).toBe(false);
    end();
    await ended;
    expect(hasEnded).toBe(true);
  });
});
