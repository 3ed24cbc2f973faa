import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/options/settings.ts';
import { askedMs, pauseMs, probeMs } from '../../src/pace/wait-times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const least = () => 0;
const most = () => 1;

describe('a pause', () => {
  it('is longer each time, up to a maximum', () => {
    const minutes = [1, 2, 4, 8, 15, 15];
    expect(minutes.map((_, pauses) => pauseMs(pauses, least) / MINUTE)).toEqual(minutes);
  });

  it('is up to a fifth longer, in whole milliseconds, and never above its maximum', () => {
    expect(pauseMs(0, most)).toBe(72 * SECOND);
    expect(pauseMs(0, () => 0.123_456)).toBe(61_481);
    expect(pauseMs(1_000, most)).toBe(15 * MINUTE);
  });
});

describe('a wait that the service asks for', () => {
  it('is up to a fifth longer', () => {
    expect([askedMs(MINUTE, least), askedMs(MINUTE, most)]).toEqual([MINUTE, 72 * SECOND]);
  });

  it('is at most an hour, and a fifth', () => {
    expect([askedMs(24 * HOUR, least), askedMs(24 * HOUR, most)]).toEqual([HOUR, 72 * MINUTE]);
  });
});

describe('a wait before a probe', () => {
  const backoff = { baseMs: 500, maxMs: MINUTE };

  it('is random, up to a maximum that doubles with each failure', () => {
    const failures = [1, 2, 6];
    const seconds = failures.map((failed) => probeMs(failed, backoff, most) / SECOND);
    expect(seconds).toEqual([1, 2, 32]);
    expect(probeMs(6, backoff, least)).toBe(0);
  });

  it('fits into a timer, also with the longest times that the options may have', () => {
    const longest = { retryBaseMs: MAX_TIMER_MS, retryMaxMs: MAX_TIMER_MS };
    const given = { baseUrl: 'http://a.example', correlationKey: 'email', delivery: longest };
    const platform = { parts: {}, holdsUnidentified: false, commitIntervalMs: 0, batchBytes: 1 };
    const { retryBaseMs, retryMaxMs } = readOptions(given, platform).delivery;
    expect(probeMs(9, { baseMs: retryBaseMs, maxMs: retryMaxMs }, most)).toBeLessThanOrEqual(MAX_TIMER_MS);
  });

  it('is never less than the longest wait once that is reached, and up to a fifth more, so that clients come at different times', () => {
    for (const failures of [7, 8, 100, 10_000]) {
      const waits = [probeMs(failures, backoff, least), probeMs(failures, backoff, most)];
      expect(waits).toEqual([MINUTE, 72 * SECOND]);
    }
  });
});
