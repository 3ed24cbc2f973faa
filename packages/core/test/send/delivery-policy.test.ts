import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { readOptions } from '../../src/options/settings.ts';
import { type DeliveryPolicy, ruleFor } from '../../src/send/delivery-policy.ts';

describe('ruleFor', () => {
  it.each([200, 201, 202, 204, 207, 299])('accepts on %d, whatever the body', (status) => {
    expect(ruleFor(status).action).toBe('accept');
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('never follows a %d: it pauses', (status) => {
    expect(ruleFor(status).action).toBe('pause');
  });

  it.each([401, 403, 404, 405, 410])('pauses on %d: nothing is wrong with the events', (status) => {
    expect(ruleFor(status).action).toBe('pause');
  });

  it.each([400, 422, 409, 406, 411, 415, 499, 501])('looks for the event at fault on %d', (status) => {
    expect(ruleFor(status).action).toBe('isolate');
  });

  it('halves the batch on 413', () => {
    expect(ruleFor(413).action).toBe('split');
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 507, 520, 599])('tries again on %d', (status) => {
    expect(ruleFor(status).action).toBe('retry');
  });

  it.each([0, 100, 199, 600, 999, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'keeps the events and tries again on %d, which HTTP does not know',
    (status) => {
      expect(ruleFor(status).action).toBe('retry');
    },
  );

  it.each([429, 503])('takes %d for a word on how much it is sent', (status) => {
    expect(ruleFor(status).isPushback).toBe(true);
  });

  it.each([301, 401, 402, 407, 421, 426, 431, 500, 503])('never ends an event by %d', (status) => {
    expect(ruleFor(status).endsEvent).not.toBe(true);
  });

  it('does what the policy says of a status or a class, and leaves the table as it is elsewhere', () => {
    const policy: DeliveryPolicy = { '409': 'accept', '5xx': 'pause' };
    expect([409, 500, 503, 400].map((status) => ruleFor(status, policy).action)).toEqual([
      ...['accept', 'pause', 'retry', 'isolate'],
    ]);
  });

  it('does that at once, whatever the answer asks for, but for a retry', () => {
    const pushbacks = (policy: DeliveryPolicy) =>
      [429, 503].map((status) => ruleFor(status, policy).isPushback);
    expect(pushbacks({ '429': 'drop', '503': 'isolate' })).toEqual([undefined, undefined]);
    expect(pushbacks({ '429': 'retry', '503': 'retry' })).toEqual([true, true]);
  });
});

describe('delivery.policy', () => {
  it.each([
    [{ '99': 'retry' }, /must be keyed by status \(200 to 599\) or class \(2xx to 5xx\), got string "99"/],
    [{ '1xx': 'retry' }, /got string "1xx"/],
    [{ toString: 'retry' }, /got string "toString"/],
    [{ '409': 'ignore' }, /delivery\.policy\[409\] must be "accept", .*, got string "ignore"/],
    [{ '409': undefined }, /got nothing/],
    [['retry'], /must be an object, got an array/],
    ['retry', /got string "retry"/],
  ])('refuses %j', (policy, message) => {
    const options = { baseUrl: 'https://example.com', correlationKey: 'email' };
    expect(() =>
      readOptions({ ...options, delivery: { policy: policy as DeliveryPolicy } }, platform),
    ).toThrow(message);
  });
});
