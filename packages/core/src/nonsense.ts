import { describe } from '@sluice/protocol';

/** An error for what a function of the user's returned. A promise of something is not waited for, nor may it reject unseen. */
export function nonsense(rule: string, got: unknown): Error {
  Promise.resolve(got).catch(() => undefined);
  return new Error(`${rule}, got ${describe(got)}`);
}
