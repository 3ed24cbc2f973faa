import { describe, expect, it } from 'vitest';
import { fillStore, TURN_EVENTS } from './filled-store.ts';

describe('what Sluice is held against for durable events', () => {
  it('writes by hand all that came meanwhile with one sync', async () => {
    const { kept, commits } = await fillStore('bare', 20, 1);
    expect(kept).toBe(20 * TURN_EVENTS);
    // Two groups are being written; the rest waits for the first of them.
    expect(commits).toBeLessThanOrEqual(3);
  });

  it.each(['sqlite', 'level', 'lmdb'] as const)(
    'commits groups of the size that it is told: %s',
    async (name) => {
      expect(await fillStore(name, 5, 2 * TURN_EVENTS)).toEqual({ kept: 5 * TURN_EVENTS, commits: 3 });
    },
  );
});
