import { expect } from 'vitest';

/** `expect(actual).toBe(expected)` for the steps of a long test: expect() alone takes longer than most of them. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}
