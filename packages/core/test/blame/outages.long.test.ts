import { describe, expect, it } from 'vitest';
import { goAway } from './away.ts';
import type { Service } from './service.ts';

describe('a service that is away', () => {
  it.each<[string, Service]>([
    ['answers 503', () => 503],
    ['never answers', () => 'never'],
    ['answers 401', () => 401],
    ['answers 400', () => 400],
  ])('and %s gets at most one probe a minute', async (name, answer) => {
    await expect(goAway(name, answer)).resolves.toBeUndefined();
  });
});
