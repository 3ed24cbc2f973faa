import { expect, describe as group, it } from 'vitest';
import { describe } from '../../src/toolbox/index.ts';

group('describe', () => {
  it.each<[unknown, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'boolean true'],
    [7, 'number 7'],
    [Number.NaN, 'number NaN'],
    [-Infinity, 'number -Infinity'],
    [10n, 'a bigint'],
    ['', 'an empty string'],
    ['ab', 'string "ab"'],
    ['a\r\n"b', String.raw`string "a\r\n\"b"`],
    ['\ud800', String.raw`string "\ud800"`],
    [Symbol('id'), 'symbol Symbol(id)'],
    [Symbol(), 'symbol Symbol()'],
    [[], 'an array'],
    [{}, 'an object'],
    [new Date(0), 'an object'],
    [Object.create(null), 'an object'],
    [() => 1, 'a function'],
    [class {}, 'a function'],
  ])('names case %#', (value, name) => {
    expect(describe(value)).toBe(name);
  });

  it('stays short, however long the value', () => {
    expect(describe('x'.repeat(100))).toBe(`string "${'x'.repeat(100)}"`);
    expect(describe('x'.repeat(1_000_000))).toBe('a string of 1000000 characters');
    expect(describe(Symbol('x'.repeat(1_000_000))).length).toBeLessThan(120);
    expect(describe(1n << 10_000_000n)).toBe('a bigint');
  });

  it('never calls code of the value', () => {
    let calls = 0;
    const call = (): never => {
      calls += 1;
      throw new Error('called');
    };
    const conversions = { toString: call, valueOf: call, toJSON: call, [Symbol.toPrimitive]: call };
    const handler = new Proxy({}, { get: call });
    expect(describe(conversions)).toBe('an object');
    expect(describe(Object.defineProperty({}, Symbol.toStringTag, { get: call }))).toBe('an object');
    expect(describe(Object.assign(() => 1, conversions))).toBe('a function');
    expect(describe(new Proxy({}, handler))).toBe('an object');
    expect(describe(new Proxy([], handler))).toBe('an array');
    expect(describe(new Proxy(() => 1, handler))).toBe('a function');
    expect(calls).toBe(0);
  });

  it('survives a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(describe(proxy)).toBe('a revoked proxy');
  });
});
