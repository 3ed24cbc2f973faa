import { expect, it } from 'vitest';
import { createSpill } from '../../src/page/keep/spill.ts';

const LEASE = ['page', 1, 2, 30_000, 0];

it('what is to be deleted, and dead letters, are not kept in localStorage as a page is left', () => {
  const spill = createSpill('database');
  for (const [key, texts] of [
    [LEASE, undefined],
    [['page', 1, 2, 0, 1], undefined],
    [['letter', 1, 'id', 10], { event: 'refused' }],
  ] as const)
    expect(spill({ key: [...key], texts } as Parameters<typeof spill>[0])).toBe(false);
});
