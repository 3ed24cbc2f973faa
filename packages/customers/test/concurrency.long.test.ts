import { describe, expect, it } from 'vitest';
import { connectionsOf } from './node-service.ts';

describe('300 reads at once', () => {
  it.each([
    ['32 by default', undefined, 32],
    ['the option concurrency', 3, 3],
  ])('open no more connections than %s', async (_, concurrency, most) => {
    expect(await connectionsOf(300, concurrency)).toBe(most);
  });
});
