import { describe, expect, test } from 'vitest';
import { ArgumentError, parseArguments } from '../src/arguments.ts';

describe('arguments', () => {
  test('may be left out', () => {
    expect(parseArguments([])).toEqual({ serve: false, help: false });
  });

  test('ask to keep the service up', () => {
    expect(parseArguments(['--serve'])).toEqual({ serve: true, help: false });
  });

  test.each([['--fast'], ['fast'], ['--serve=yes']])('are refused where there is no such: %s', (argument) => {
    expect(() => parseArguments([argument])).toThrow(ArgumentError);
    expect(() => parseArguments([argument])).toThrow('There are --serve and --help.');
  });
});
