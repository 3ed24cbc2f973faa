import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/index.ts';
import {
  aFunction,
  isNonEmptyString,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  readRules,
  whole,
} from '../../src/toolbox/index.ts';

const RULES = {
  name: nonEmpty('anon'),
  mode: oneOf(['a', 'b', 'c'], 'b'),
  waitMs: milliseconds(5, 0),
  hook: aFunction(),
  clock: methods('now'),
  group: { size: whole(10, 1, 100), limit: whole(undefined) },
};

function refusal(given: unknown): ConfigError {
  try {
    readRules(RULES, '', given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('readRules', () => {
  it('fills in what was left out, or is undefined', () => {
    const defaults = { name: 'anon', mode: 'b', waitMs: 5, hook: undefined, clock: undefined };
    expect(readRules(RULES, '', {})).toEqual({ ...defaults, group: { size: 10, limit: undefined } });
    expect(readRules(RULES, '', { name: undefined, group: undefined })).toEqual(readRules(RULES, '', {}));
  });

  it('takes what its rules allow, and leaves what it was given alone', () => {
    const given = { name: 'Ada', mode: 'c', waitMs: 0, group: { size: 100, limit: 2 ** 31 } };
    const before = structuredClone(given);
    expect(readRules(RULES, '', given)).toMatchObject(given);
    expect(given).toEqual(before);
  });

  it.each<[unknown, string, string]>([
    [{ name: '' }, 'name', 'name must be a non-empty string, got an empty string'],
    [{ mode: 'd' }, 'mode', 'mode must be "a", "b" or "c", got string "d"'],
    [{ mode: ['a'] }, 'mode', 'mode must be "a", "b" or "c", got an array'],
    [
      { waitMs: 2 ** 31 },
      'waitMs',
      'waitMs must be a whole number from 0 to 2147483647, got number 2147483648',
    ],
    [{ hook: {} }, 'hook', 'hook must be a function, got an object'],
    [{ clock: { now: 1 } }, 'clock', 'clock must be an object with now, got an object'],
    [{ group: { size: null } }, 'group.size', 'group.size must be a whole number from 1 to 100, got null'],
    [{ group: [] }, 'group', 'group must be an object, got an array'],
    [{ group: { sizes: 1 } }, 'group.sizes', 'group.sizes is not an option; there are size, limit'],
    [
      { toString: 1 },
      'toString',
      'toString is not an option; there are name, mode, waitMs, hook, clock, group',
    ],
    ['a key, maybe', 'options', 'options must be an object, got a string'],
  ])('names the option, its value and what is allowed: %j', (given, option, message) => {
    expect(refusal(given)).toMatchObject({ option, message });
  });
});

it('a non-empty string is one with a character, be it a blank', () => {
  expect(isNonEmptyString(' ')).toBe(true);
  expect(isNonEmptyString('')).toBe(false);
  expect(isNonEmptyString(new String('boxed'))).toBe(false);
});
