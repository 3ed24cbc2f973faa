import { describe, expect, it } from 'vitest';
import { askedMs, LONGEST_WAIT_MS, pauseMs, probeMs } from '../../src/pace/wait-times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const least = () => 0;
const most = () => 1;

describe('pauseMs', () => {
  it.each([
    [false, [1, 2, 4, 8, 15, 15]],
    [true, [5, 10, 20, 40, 60, 60]],
  ])(
    'grows from pause to pause up to a bound, where it is slow (%s) from more to more',
    (isSlow, minutes) => {
      expect(minutes.map((_, pauses) => pauseMs(pauses, isSlow, least) / MINUTE)).toEqual(minutes);
    },
  );

  it('is up to a fifth longer, in whole milliseconds, and never above its bound', () => {
    expect(pauseMs(0, false, most)).toBe(72 * SECOND);
    expect(pauseMs(0, false, () => 0.123_456)).toBe(61_481);
    expect(pauseMs(1_000, false, most)).toBe(15 * MINUTE);
  });
});

describe('askedMs', () => {
  it('is what the service asks for, or up to a fifth more', () => {
    expect([askedMs(MINUTE, least), askedMs(MINUTE, most)]).toEqual([MINUTE, 72 * SECOND]);
  });

  it('is an hour at most, and a fifth: longer no service is left alone', () => {
    expect([askedMs(24 * HOUR, least), askedMs(24 * HOUR, most)]).toEqual([HOUR, LONGEST_WAIT_MS]);
  });
});

describe('probeMs', () => {
  const backoff = { baseMs: 500, maxMs: MINUTE };

  it('is any time up to a bound that doubles with each failure', () => {
    expect([1, 2, 6].map((failures) => probeMs(failures, backoff, most))).toEqual([
      SECOND,
      2 * SECOND,
      32 * SECOND,
    ]);
    expect(probeMs(6, backoff, least)).toBe(0);
  });

  it('is never less than the longest wait once that is reached, and up to a half more, so that many do not come back together', () => {
    for (const failures of [7, 8, 100, 10_000]) {
      expect([probeMs(failures, backoff, least), probeMs(failures, backoff, most)]).toEqual([
        MINUTE,
        90 * SECOND,
      ]);
    }
  });
});
