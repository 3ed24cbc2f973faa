import { describe, expect, it } from 'vitest';
import { actionFor } from '../src/delivery-policy.ts';

describe('actionFor', () => {
  it.each([200, 201, 202, 204, 207, 299])('accepts on %d, whatever the body', (status) => {
    expect(actionFor(status)).toBe('accept');
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('never follows a %d: it pauses', (status) => {
    expect(actionFor(status)).toBe('pause');
  });

  it.each([401, 403, 404, 405, 410])('pauses on %d: nothing is wrong with the events', (status) => {
    expect(actionFor(status)).toBe('pause');
  });

  it.each([400, 422, 409, 402, 406, 411, 415, 431, 451, 499, 501])(
    'looks for the event at fault on %d',
    (status) => {
      expect(actionFor(status)).toBe('isolate');
    },
  );

  it('halves the batch on 413', () => {
    expect(actionFor(413)).toBe('split');
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 507, 520, 599])('tries again on %d', (status) => {
    expect(actionFor(status)).toBe('retry');
  });

  it.each([0, 100, 199, 600, 999, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'keeps the events and tries again on %d, which HTTP does not know',
    (status) => {
      expect(actionFor(status)).toBe('retry');
    },
  );
});
