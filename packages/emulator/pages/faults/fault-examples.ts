import type { Fault, Script } from '../../src/faults/fault.ts';

interface Example {
  readonly about: string;
  readonly fault: Fault | Script | readonly Fault[];
}

/** A fault of each kind and some scripts, to begin with. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'Answer with a status': {
    about: 'In place of the service, also with a body: 401, or a proxy that answers 200.',
    fault: { kind: 'status', status: 503, percent: 50 },
  },
  'Too many requests': {
    about: 'Some pass, then 429 with Retry-After: seconds, or an HTTP date.',
    fault: { kind: 'status', status: 429, retryAfter: 2, skip: 5, times: 3 },
  },
  'Be slow': {
    about: 'Waits before it serves a request, up to jitterMs longer.',
    fault: { kind: 'latency', ms: 2_000, jitterMs: 500 },
  },
  'Never answer': {
    about: 'Reads the request and keeps the connection open, in silence.',
    fault: { kind: 'hang' },
  },
  'Reset the connection': {
    about: 'Before it reads the body, or in the middle of its answer: then it is stored.',
    fault: { kind: 'reset', at: 'before' },
  },
  'Lose the answer': {
    about: 'Stores the events, and cuts the connection: the sender cannot know.',
    fault: { kind: 'lost-answer' },
  },
  'Refuse large bodies': {
    about: '413 for each body above a size.',
    fault: { kind: 'too-large', bytes: 10_000 },
  },
  'Refuse certain events': {
    about: 'Those whose JSON matches a regular expression, as if they broke a rule.',
    fault: { kind: 'poison', pattern: '"sku":"B-2"', flags: 'i' },
  },
  'Be down': {
    about: 'Connections are refused for a time, as while a service restarts.',
    fault: { kind: 'down', forMs: 10_000 },
  },
  'A script: a restart': {
    about: 'Faults in order: each begins when the one before it is over.',
    fault: [
      { kind: 'status', status: 503, times: 3 },
      { kind: 'down', forMs: 10_000 },
      { kind: 'latency', ms: 1_500, jitterMs: 1_000, requests: 5 },
    ],
  },
  'A script: a bad network': {
    about: 'It repeats. The kind none is a pause.',
    fault: {
      kind: 'script',
      repeat: true,
      steps: [
        { kind: 'none', requests: 3 },
        { kind: 'reset', times: 1 },
        { kind: 'lost-answer', times: 1 },
        { kind: 'latency', ms: 3_000, times: 2 },
      ],
    },
  },
};

/** Which requests a fault acts on: what each fault can have. */
export const SCOPE: readonly (readonly [name: string, words: string])[] = [
  ['endpoint', '"events" or "customers": only requests to this endpoint.'],
  ['percent', 'It acts on this many of 100 requests. The seed decides on which.'],
  ['skip', 'This many requests pass first.'],
  ['times', 'It acts at most this many times.'],
  ['requests', 'It is over after this many requests, whether it acted on them or not.'],
  ['afterMs', 'It begins after this many milliseconds.'],
  ['forMs', 'It lasts this many milliseconds.'],
];
