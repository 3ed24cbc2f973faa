import { expect, it } from 'vitest';
import { createTracker } from '../../src/index.ts';

it('two accounts never share a database, though their names have the same short hash', async () => {
  // Pages of other tests may have databases of their own.
  const before = (await indexedDB.databases()).length;
  // Both have the same 32-bit FNV-1a hash.
  for (const number of [1_039_599, 1_222_382]) {
    const tracker = createTracker({ baseUrl: `https://relay.example/${number}`, correlationKey: 'email' });
    tracker.track('event', {}, { correlationValue: 'ada@example.com' });
    await tracker.durable();
    await tracker.close({ timeoutMs: 0 });
  }
  expect(await indexedDB.databases()).toHaveLength(before + 2);
});
