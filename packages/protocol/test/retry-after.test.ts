import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../src/index.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);

describe('Retry-After', () => {
  it('in seconds gives milliseconds', () => {
    expect(parseRetryAfter('1', NOW)).toBe(1000);
    expect(parseRetryAfter(' 120 ', NOW)).toBe(120_000);
    expect(parseRetryAfter('007', NOW)).toBe(7000);
  });

  it('as an HTTP date gives the time until then, in each of the three forms', () => {
    expect(parseRetryAfter('Sat, 21 Nov 2026 10:16:00 GMT', NOW)).toBe(30_000);
    expect(parseRetryAfter('Saturday, 21-Nov-26 10:16:00 GMT', NOW)).toBe(30_000);
    expect(parseRetryAfter('Sat Nov 21 10:16:00 2026', NOW)).toBe(30_000);
  });

  it('counts milliseconds of the present', () => {
    expect(parseRetryAfter('Sat, 21 Nov 2026 10:15:31 GMT', NOW + 250)).toBe(750);
  });

  it('is not capped, which is the caller’s to do', () => {
    expect(parseRetryAfter('99999999999', NOW)).toBe(99_999_999_999_000);
    expect(parseRetryAfter('Fri, 01 Jan 2100 00:00:00 GMT', NOW)).toBeGreaterThan(70 * 365 * 86_400_000);
  });

  it.each([
    null,
    undefined,
    '',
    ' ',
    '0',
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5, 6',
    '5s',
    'soon',
    'soon 2099',
    'Infinity',
    '9'.repeat(400),
    '2099-01-01T00:00:00.000Z',
    '1/1/2099',
    'Sat, 21 Nov 2026 10:15:30 GMT',
    'Fri, 20 Nov 2026 10:15:30 GMT',
    'Sat, 21 Nov 2099 25:15:30 GMT',
    'Sat, 21 Foo 2099 10:15:30 GMT',
    'Sat, 21 Nov 2099 10:15:30 PST',
  ])('makes no sense as %j', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });

  it('takes linear time on a long header', () => {
    expect(parseRetryAfter(`${'1'.repeat(1_000_000)}x`, NOW)).toBeUndefined();
    expect(parseRetryAfter(`S${'a'.repeat(1_000_000)}`, NOW)).toBeUndefined();
  });
});
