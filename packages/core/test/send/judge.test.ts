import { describe, expect, it } from 'vitest';
import { type DeliveryPolicy, ruleOf } from '../../src/send/delivery-policy.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { judge, type State, type Verdict } from '../../src/send/judge.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

/** The verdict on an outcome. Without a state: one event, sent for the first time, while the service accepts others. */
function verdictOn(outcome: Outcome, state: Partial<State> = {}, policy: DeliveryPolicy = {}): Verdict {
  const status = outcome.kind === 'answered' ? outcome.status : 0;
  return judge(ruleOf(outcome, policy), status, {
    count: 1,
    finding: undefined,
    isBlamed: false,
    isHalf: false,
    refusals: [],
    tookAsLarge: false,
    ...state,
  });
}

const SEVERAL = { count: 10 };
const BAD_EVENT = [400, 409, 422, 402, 406, 411, 415, 431, 451, 499, 501];
const NOT_OURS = [401, 403, 404, 405, 410, 301, 302, 307];
/** Of these, the answers that never make a dead letter. */
const NEVER_ENDS = [401, 301, 302, 307];
const AWAY = [408, 425, 429, 500, 502, 503, 504, 599];

describe('judge', () => {
  it.each([200, 201, 202, 204, 207])('accepts on %d', (status) => {
    expect(verdictOn(answered(status))).toBe('accept');
    expect(verdictOn(answered(status), { ...SEVERAL, isBlamed: true })).toBe('accept');
  });

  it.each(AWAY)('tries again on %d, however many events there are, and whatever is known', (status) => {
    for (const state of [{}, SEVERAL, { isBlamed: true }, { refusals: [400, 400, 400] }])
      expect(verdictOn(answered(status), state)).toBe('retry');
  });

  it('tries again where there was no answer', () => {
    expect(verdictOn(failed(true))).toBe('retry');
    expect(verdictOn(failed(false), SEVERAL)).toBe('retry');
  });

  it('pauses where something on this side blocks the request', () => {
    expect(verdictOn({ kind: 'failed', cause: undefined, maybeSent: false, isBlocked: true })).toBe('pause');
  });

  describe('where an event is at fault', () => {
    it.each(BAD_EVENT)('halves several events on %d', (status) => {
      expect(verdictOn(answered(status), SEVERAL)).toBe('halve');
    });

    it.each(BAD_EVENT)('ends a single event that is refused twice with %d', (status) => {
      expect(verdictOn(answered(status))).toBe('again');
      expect(verdictOn(answered(status), { refusals: [status] })).toBe('end');
    });

    it.each<[number[], Verdict]>([
      [[], 'again'],
      [[422], 'again'],
      [[422, 409], 'again'],
      [[422, 409, 402], 'end'],
      [[422, 400], 'end'],
    ])('after refusals with %j, a refusal with 400 means: %s', (refusals, verdict) => {
      expect(verdictOn(answered(400), { refusals })).toBe(verdict);
    });

    it('does not ask again about a single event if the service refuses most events', () => {
      expect(verdictOn(answered(400), { isBlamed: true })).toBe('end');
      expect(verdictOn(answered(400), { isBlamed: true, ...SEVERAL })).toBe('halve');
    });
  });

  describe('where the body is too large', () => {
    it.each<[string, Partial<State>, Verdict]>([
      ['several events are sent in halves', SEVERAL, 'shrink'],
      ['several events are sent in halves, even if larger bodies were accepted', tookAsLarge(10), 'shrink'],
      ['a single event ends', {}, 'end'],
      ['a single event is asked about once more if larger bodies were accepted', tookAsLarge(1), 'again'],
      ['a single event then ends', { ...tookAsLarge(1), refusals: [413] }, 'end'],
    ])('%s', (_, state, verdict) => {
      expect(verdictOn(answered(413), state)).toBe(verdict);
    });
  });

  describe('where the service does not accept our key or address', () => {
    it.each(NOT_OURS)('pauses on %d if no event can be suspected', (status) => {
      expect(verdictOn(answered(status))).toBe('pause');
      expect(verdictOn(answered(status), { ...SEVERAL, isBlamed: true })).toBe('pause');
    });

    it.each(NOT_OURS)('pauses on %d and tries others first if nothing is accepted', (status) => {
      expect(verdictOn(answered(status), { finding: 'doubted' })).toBe('doubt');
      expect(verdictOn(answered(status), { finding: 'doubted', ...SEVERAL })).toBe('doubt');
    });

    it.each(NOT_OURS)('lets others go on after a %d while they are accepted', (status) => {
      expect(verdictOn(answered(status), { finding: 'first' })).toBe('suspect');
      expect(verdictOn(answered(status), { finding: 'repeated' })).toBe('suspect');
      expect(verdictOn(answered(status), { finding: 'first', ...SEVERAL })).toBe('suspect');
    });

    it.each(NOT_OURS)('halves several events that get a second %d, and halves of such a parcel', (status) => {
      expect(verdictOn(answered(status), { finding: 'repeated', ...SEVERAL })).toBe('halve-later');
      expect(verdictOn(answered(status), { finding: 'proven', ...SEVERAL })).toBe('halve-later');
      expect(verdictOn(answered(status), { finding: 'first', isHalf: true, ...SEVERAL })).toBe('halve-later');
    });

    it.each(NOT_OURS)(
      'ends a single event that is proven to be at fault, unless %d never says so',
      (status) => {
        const verdict = NEVER_ENDS.includes(status) ? 'suspect' : 'end';
        expect(verdictOn(answered(status), { finding: 'proven' })).toBe(verdict);
      },
    );
  });

  describe('where an accepting answer is not the service’s', () => {
    const PORTAL = answered(200, { body: '<!doctype html><title>Sign in</title>' });

    it.each<[Partial<State>, Verdict]>([
      [{}, 'pause'],
      [{ finding: 'doubted' }, 'doubt'],
      [{ finding: 'first' }, 'suspect'],
      [{ finding: 'proven' }, 'suspect'],
      [{ finding: 'repeated', ...SEVERAL }, 'halve-later'],
    ])('with %j: %s', (state, verdict) => {
      expect(verdictOn(PORTAL, state)).toBe(verdict);
      expect(verdictOn({ ...answered(200), from: 'https://example.com/offline' } as Outcome, state)).toBe(
        verdict,
      );
    });

    it('accepts it if the policy says so', () => {
      expect(verdictOn(PORTAL, {}, { '2xx': 'accept' })).toBe('accept');
    });
  });

  describe('where a policy asks for it', () => {
    it.each<[DeliveryPolicy, Partial<State>, Verdict]>([
      [{ '403': 'accept' }, {}, 'accept'],
      [{ '403': 'drop' }, SEVERAL, 'drop'],
      [{ '403': 'retry' }, {}, 'retry'],
      [{ '403': 'pause' }, SEVERAL, 'pause'],
      [{ '4xx': 'drop' }, {}, 'pause'],
      [{ '403': 'isolate' }, SEVERAL, 'halve'],
      [{ '403': 'isolate' }, { refusals: [403] }, 'end'],
      [{ '403': 'split' }, SEVERAL, 'shrink'],
      [{ '403': 'split' }, {}, 'end'],
    ])('does %j', (policy, state, verdict) => {
      expect(verdictOn(answered(403), state, policy)).toBe(verdict);
    });
  });
});

function tookAsLarge(count: number): Partial<State> {
  return { count, tookAsLarge: true };
}
