import { describe } from '@sluice/protocol';

type OnFailed = (error: unknown) => void;

/** An error for what a function of the user's returned. A promise of something is not waited for, nor may it reject unseen. */
export function nonsense(rule: string, got: unknown): Error {
  Promise.resolve(got).catch(() => undefined);
  return new Error(`${rule}, got ${describe(got)}`);
}

/** Calls code of the user's that may throw, or reject later. */
export function attempt(call: () => unknown, onFailed: OnFailed): void {
  try {
    const result = call();
    if (result !== undefined) Promise.resolve(result).catch(onFailed);
  } catch (error) {
    onFailed(error);
  }
}

/** What code of the user's returns; undefined where it throws, or that is not what the rule says. */
export function ask<Answer>(
  call: () => unknown,
  isRight: (answer: unknown) => answer is Answer,
  rule: string,
  onFailed: OnFailed,
): Answer | undefined {
  try {
    const answer = call();
    if (isRight(answer)) return answer;
    throw nonsense(rule, answer);
  } catch (error) {
    onFailed(error);
    return undefined;
  }
}

/** Whether it is a number within bounds. */
export function isWithin(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number => typeof value === 'number' && value >= least && value <= most;
}
