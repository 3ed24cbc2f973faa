import { describe, expect, it } from 'vitest';
import { ruleFor } from '../../src/send/delivery-policy.ts';
import { type Facts, judge, type Verdict } from '../../src/send/judge.ts';

/** A service that works, and knows that one request in a hundred fails by chance. */
const FACTS: Facts = {
  ...{ count: 1, failures: 1, proofs: 1, forMs: 0, share: 0.01 },
  ...{ isAlone: false, isBlamed: false, knowsChance: true, isFickle: false, partTaken: 1 },
};
const PROVEN = { failures: 5, proofs: 5, forMs: 30_000 };

const WRONG = [400, 409, 422, 406, 411, 415, 418, 501];
const DENIED = [403, 404, 405, 410, 451];
const OURS = [301, 302, 307, 308, 401, 402, 407, 421, 426, 431];
const FAILED = [408, 425, 500, 502, 504, 599];

const cases: [string, number[], Partial<Facts>, Verdict][] = [
  ['several events that are called wrong are halved', WRONG, { count: 2 }, 'halve'],
  ['at first only with the second refusal', WRONG, { count: 2, knowsChance: false }, 'again'],
  [
    'at first with the second refusal',
    WRONG,
    { count: 2, failures: 2, knowsChance: false, share: 0.5 },
    'halve',
  ],
  [
    'where a quarter is refused by chance, four say too little',
    WRONG,
    { count: 9, failures: 3, share: 0.25 },
    'again',
  ],
  [
    'where a quarter is refused by chance, more say enough',
    WRONG,
    { count: 9, failures: 4, share: 0.25 },
    'halve',
  ],
  ['a single one is asked again', WRONG, { failures: 4, isBlamed: true }, 'again'],
  ['five refusals, and others accepted between, end it', WRONG, { failures: 5, proofs: 2 }, 'end'],
  ['or five, if the rest of its parcel was accepted', WRONG, { failures: 5, isBlamed: true }, 'end'],
  ['without any accepted between, it waits', WRONG, { failures: 50 }, 'again'],
  [
    'but not where nothing else can be sent: it is a suspect',
    WRONG,
    { failures: 5, isAlone: true },
    'suspect',
  ],
  ['where the service is fickle, it is a suspect', WRONG, { ...PROVEN, isFickle: true }, 'suspect'],
  ['where chance explains it, it is asked again', WRONG, { ...PROVEN, share: 0.5 }, 'again'],
  ['several events that look like a wrong key or address are asked again', DENIED, { count: 2 }, 'again'],
  ['and halved with the second refusal', DENIED, { count: 2, failures: 2 }, 'halve'],
  ['a single one ends after five refusals over half a minute', DENIED, PROVEN, 'end'],
  ['not earlier', DENIED, { ...PROVEN, forMs: 29_999 }, 'again'],
  ['not after fewer that count', DENIED, { ...PROVEN, failures: 9, proofs: 4 }, 'again'],
  [
    'where nothing else can be sent, it is a suspect',
    DENIED,
    { ...PROVEN, proofs: 1, isAlone: true },
    'suspect',
  ],
  ['not earlier than after half a minute', DENIED, { failures: 9, isAlone: true }, 'again'],
  ['nor while the service is fickle', DENIED, { ...PROVEN, isFickle: true }, 'suspect'],
  ['what is never the fault of an event is halved too', OURS, { count: 2, failures: 2 }, 'halve'],
  ['but never ends an event', OURS, { ...PROVEN, failures: 500 }, 'suspect'],
  ['several events that failed go again', FAILED, { count: 2, failures: 2 }, 'again'],
  ['and are halved with the third failure', FAILED, { count: 2, failures: 3 }, 'halve'],
  ['where a fifth fails by chance, with the fifth', FAILED, { count: 2, failures: 4, share: 0.2 }, 'again'],
  ['where a fifth fails by chance, no later', FAILED, { count: 2, failures: 5, share: 0.2 }, 'halve'],
  ['where half of all fail, never', FAILED, { count: 2, failures: 50, share: 0.5 }, 'again'],
  ['a single one that fails is a suspect after five', FAILED, { failures: 5, proofs: 2 }, 'suspect'],
  ['not after four', FAILED, { failures: 4, proofs: 2 }, 'again'],
  ['a body that is too large is sent in halves', [413], { count: 2 }, 'shrink'],
  [
    'a single one ends with the second refusal, if others are accepted',
    [413],
    { failures: 2, proofs: 2, partTaken: 0 },
    'end',
  ],
  ['or if a smaller one was', [413], { failures: 2, partTaken: 0.5 }, 'end'],
  ['as long as all are refused, it waits', [413], { failures: 50, partTaken: 0 }, 'again'],
  ['where larger ones are taken, it is asked again', [413], { failures: 2 }, 'again'],
  ['and ends as if it were called wrong', [413], { failures: 5, proofs: 2 }, 'end'],
];

describe('the judge', () => {
  it.each(cases)('%s', (_, statuses, facts, verdict) => {
    for (const status of statuses)
      expect([status, judge(ruleFor(status), { ...FACTS, ...facts })]).toEqual([status, verdict]);
  });

  it('does at once what a policy asks for', () => {
    expect(judge(ruleFor(500, { '5xx': 'pause' }), FACTS)).toBe('pause');
    expect(judge(ruleFor(422, { '422': 'drop' }), { ...FACTS, count: 9 })).toBe('drop');
  });

  it('never ends an event that a policy says to retry', () => {
    expect(judge(ruleFor(400, { '4xx': 'retry' }), { ...FACTS, ...PROVEN })).toBe('suspect');
  });

  it('looks for the event at fault where a policy says so', () => {
    const rule = ruleFor(500, { '500': 'isolate' });
    expect(judge(rule, { ...FACTS, count: 2 })).toBe('halve');
    expect(judge(rule, { ...FACTS, ...PROVEN })).toBe('end');
  });
});
