import { describe } from '@sluice/protocol/toolbox';

type OnFailed = (error: unknown) => void;

/** An error for a wrong value that user code returned. A promise is not awaited, and its rejection is ignored. */
export function nonsense(rule: string, got: unknown): Error {
  Promise.resolve(got).catch(() => undefined);
  return new Error(`${rule}, got ${describe(got)}`);
}

/** Calls user code. If it throws, or rejects later, calls `onFailed`. */
export function attempt(call: () => unknown, onFailed: OnFailed): void {
  try {
    const result = call();
    if (result !== undefined) Promise.resolve(result).catch(onFailed);
  } catch (error) {
    onFailed(error);
  }
}

/** Calls user code and returns its answer. If it throws or the answer is wrong, calls `onFailed` and returns undefined. */
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

/** Whether it is an object, and no array, Map, Promise or other built-in object. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** A check for numbers from `least` to `most`. */
export function isWithin(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number => typeof value === 'number' && value >= least && value <= most;
}
