import { describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';

describe('uuid', () => {
  it('has the form of version 4, variant 1', () => {
    for (let count = 0; count < 1_000; count += 1) {
      expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('repeats none in 10,000', () => {
    const uuids = Array.from({ length: 10_000 }, uuid);
    expect(new Set(uuids).size).toBe(10_000);
  });

  it('leaves no digit fixed but those of version and variant', () => {
    const uuids = Array.from({ length: 2_000 }, uuid);
    const digits = Array.from(
      { length: 36 },
      (_, place) => new Set(uuids.map((text) => text.charAt(place))).size,
    );
    const expected = Array.from({ length: 36 }, (_, place) => {
      if ([8, 13, 18, 23, 14].includes(place)) return 1;
      return place === 19 ? 4 : 16;
    });
    expect(digits).toEqual(expected);
  });

  it('uses each digit as often as the others', () => {
    const count = 32_000;
    const uuids = Array.from({ length: count }, uuid);
    for (const [place, digits] of [
      ...[0, 9, 15, 24, 35].map((place) => [place, 16] as const),
      [19, 4] as const,
    ]) {
      const seen = new Map<string, number>();
      for (const text of uuids) seen.set(text.charAt(place), (seen.get(text.charAt(place)) ?? 0) + 1);
      // Six standard deviations.
      const bound = 6 * Math.sqrt(count / digits);
      for (const times of seen.values()) expect(Math.abs(times - count / digits)).toBeLessThan(bound);
    }
  });
});
