import { describe, expect, it } from 'vitest';
import { isApiKey, requestHeaders } from '../src/index.ts';

describe('an API key', () => {
  it('is any visible ASCII text', () => {
    expect(isApiKey('k')).toBe(true);
    expect(isApiKey('aZ09-_.~+/=:!"#$%&\'()*,;<>?@[\\]^`{|}')).toBe(true);
    expect(isApiKey('x'.repeat(100_000))).toBe(true);
  });

  it.each<[unknown]>([
    [''],
    [' '],
    ['a b'],
    ['key\n'],
    ['key\r\nx-injected: 1'],
    ['\tkey'],
    ['k\u0000'],
    ['k\u007f'],
    ['schlüssel'],
    ['k\u2028'],
    [undefined],
    [null],
    [7],
    [['key']],
  ])('is not %j', (value) => expect(isApiKey(value)).toBe(false));
});

describe('the headers', () => {
  it('carry the key behind the prefix of the interface, and the type of the body', () => {
    expect(requestHeaders('secret')).toEqual({
      'content-type': 'application/json',
      authorization: 'Api-Key secret',
    });
  });

  it('carry no Authorization where there is no key', () => {
    expect(requestHeaders(undefined)).toEqual({ 'content-type': 'application/json' });
  });

  it('are made anew each time, so that a caller may add to them', () => {
    requestHeaders('secret').extra = '1';
    expect(requestHeaders('secret')).not.toHaveProperty('extra');
  });
});
