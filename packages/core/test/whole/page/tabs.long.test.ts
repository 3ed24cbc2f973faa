import 'fake-indexeddb/auto';
import { describe, it } from 'vitest';
import { FakeOrigin } from '../../bench/fake-origin.ts';
import { killTabs } from '../../bench/killed-tabs.ts';

describe('five tabs, of which one or the other is killed at any moment', () => {
  it.for([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('lose and double nothing, seed %i', async (seed) => {
    const origin = new FakeOrigin();
    await killTabs(origin, seed);
    await origin.close();
  });
});
