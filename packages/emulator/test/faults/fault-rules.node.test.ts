import { ConfigError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { readFault } from '../../src/faults/fault-rules.ts';
import { faultWords } from '../../src/faults/fault-words.ts';

describe('a fault as it is given', () => {
  it.each<[unknown, string]>([
    [{ kind: 'status', status: 503 }, 'answers 503'],
    [
      { kind: 'status', status: 429, retryAfter: 2, percent: 30, endpoint: 'events' },
      'answers 429 with Retry-After 2, event ingestion only, on 30 % of requests',
    ],
    [
      { kind: 'latency', ms: 200, jitterMs: 50, endpoint: 'customers' },
      'waits 200 ms to 250 ms, reading customers only',
    ],
    [{ kind: 'hang', skip: 1, times: 2 }, 'never answers, after 1 request, at most 2 times'],
    [{ kind: 'reset' }, 'resets the connection before it reads the body'],
    [{ kind: 'reset', at: 'middle' }, 'resets the connection in the middle of the answer'],
    [{ kind: 'lost-answer' }, 'serves the request and loses the answer'],
    [{ kind: 'too-large', bytes: 1000 }, 'refuses bodies of more than 1000 bytes'],
    [{ kind: 'poison', pattern: 'B-2' }, 'refuses events that match /B-2/'],
    [{ kind: 'down', forMs: 5000, afterMs: 100 }, 'refuses connections, from 100 ms on, for 5 s'],
    [
      [
        { kind: 'hang', times: 1 },
        { kind: 'none', requests: 3 },
      ],
      'never answers, at most 1 time; then does nothing, for 3 requests',
    ],
    [
      { kind: 'script', steps: [{ kind: 'hang', times: 1 }], repeat: true },
      'never answers, at most 1 time; and again',
    ],
  ])('%j is said in words: %s', (fault, words) => {
    expect(faultWords(readFault(fault))).toBe(words);
  });

  it.each<[unknown, string, string]>([
    [7, 'fault', 'fault must be an object with a kind, got number 7'],
    [
      {},
      'fault.kind',
      'fault.kind must be one of status, latency, hang, reset, lost-answer, too-large, poison, down, none, script, got nothing',
    ],
    [{ kind: 'status' }, 'fault.status', 'fault.status must be a whole number from 200 to 599, got nothing'],
    [{ kind: 'status', status: 100 }, 'fault.status', 'got number 100'],
    [
      { kind: 'status', status: 503, retryAfter: 'é' },
      'fault.retryAfter',
      'a whole number of seconds, or a date as HTTP has it',
    ],
    [{ kind: 'hang', percent: 0 }, 'fault.percent', 'a number above 0, to 100'],
    [
      { kind: 'hang', status: 503 },
      'fault.status',
      'fault.status is not an option; there are kind, endpoint',
    ],
    [{ kind: 'hang', endpoint: 'both' }, 'fault.endpoint', 'must be "events" or "customers"'],
    [{ kind: 'down' }, 'fault.forMs', 'fault.forMs must be a whole number from 1'],
    [
      { kind: 'down', forMs: 1, times: 3 },
      'fault.times',
      'fault.times is not an option; there are kind, endpoint, afterMs, forMs',
    ],
    [
      { kind: 'poison', pattern: '(' },
      'fault.pattern',
      'fault.pattern must be a regular expression: Invalid',
    ],
    [{ kind: 'poison', pattern: 'a', flags: 'g' }, 'fault.flags', 'some of i, m, s, u'],
    [[], 'fault.steps', 'fault.steps must be an array of at least one fault'],
    [[{ kind: 'hang' }, { kind: 'hang' }], 'fault.steps[0]', 'must have times, requests or forMs'],
    [[{ kind: 'hang', times: 1 }, []], 'fault.steps[1].kind', 'fault.steps[1].kind must be one of'],
    [{ kind: 'script', steps: [{ kind: 'hang' }], repeat: true }, 'fault.steps[0]', 'must have times'],
  ])('that is wrong, %j, is named with what is allowed', (fault, option, message) => {
    let failure: unknown;
    try {
      readFault(fault);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toMatchObject({ option, message: expect.stringContaining(message) });
  });
});
