import type { Fault, Script } from '../../src/faults/fault.ts';
import { readJson } from '../shell/ask.ts';

/** What can be switched on: a fault of a kind, or a script of faults. */
export type Kind = Exclude<Fault['kind'], 'none'> | 'script';

/** The values of a form, as text. `forMs` and `afterMs` are in seconds. Empty values are left out. */
export type Values = Readonly<Record<string, string>>;

/** An input of the form for a fault: its texts and its type. An object as type has the words for each choice. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly type: 'number' | 'seconds' | 'text' | 'long-text' | 'json' | Readonly<Record<string, string>>;
  readonly hint?: string;
  readonly placeholder?: string;
}

interface KindWords {
  readonly title: string;
  readonly about: string;
  readonly inputs: readonly Input[];
  /** What the form begins with. */
  readonly values?: Values;
  /** Values that are often wanted, by name. */
  readonly examples?: Readonly<Record<string, Values>>;
}

function input(name: string, label: string, type: Input['type'], hint = '', placeholder = ''): Input {
  return { name, label, type, ...(hint && { hint }), ...(placeholder && { placeholder }) };
}

const ENDPOINTS = { '': 'all requests', events: 'batches of events', customers: 'reading customers' };
const WHEN = { before: 'Before: nothing is stored', middle: 'In the middle of the answer: it is stored' };
const FOR = input('forMs', 'Lasts, in seconds', 'seconds', 'Empty: until it is stopped.');

/** The texts and inputs of each kind. */
export const KINDS: Readonly<Record<Kind, KindWords>> = {
  status: {
    title: 'Answer with a status',
    about: 'In place of the service: 503, 429 with Retry-After, or a proxy that answers 200.',
    inputs: [
      input('status', 'Status', 'number', '200 to 599.'),
      input('retryAfter', 'Retry-After', 'text', 'Seconds, or an HTTP date. Empty: none.'),
      input('body', 'Body', 'long-text', 'Empty: an error as refusals have it.'),
    ],
    values: { status: '503' },
    examples: {
      '503 Unavailable': { status: '503', retryAfter: '', body: '' },
      '429 with Retry-After': { status: '429', retryAfter: '2', body: '' },
      '401 Unauthorized': { status: '401', retryAfter: '', body: '' },
      '200 of a proxy': { status: '200', retryAfter: '', body: '<html>Sign in to this network</html>' },
    },
  },
  latency: {
    title: 'Be slow',
    about: 'Waits before it serves a request.',
    inputs: [
      input('ms', 'Wait, in milliseconds', 'number'),
      input('jitterMs', 'Up to so much longer', 'number', 'In milliseconds, by chance.'),
    ],
    values: { ms: '2000' },
  },
  hang: {
    title: 'Never answer',
    about: 'Reads the request and keeps the connection open, in silence.',
    inputs: [],
  },
  reset: {
    title: 'Reset the connection',
    about: 'Before it reads the body, or in the middle of its answer.',
    inputs: [input('at', 'When', WHEN)],
    values: { at: 'before' },
  },
  'lost-answer': {
    title: 'Lose the answer',
    about: 'Stores the events, and cuts the connection: the sender cannot know.',
    inputs: [],
  },
  'too-large': {
    title: 'Refuse large bodies',
    about: '413 for each body above a size.',
    inputs: [input('bytes', 'Largest body, in bytes', 'number')],
    values: { bytes: '10000' },
  },
  poison: {
    title: 'Refuse certain events',
    about: 'Those whose JSON matches a pattern, as if they broke a rule.',
    inputs: [
      input('pattern', 'Pattern', 'text', 'A regular expression, matched with its JSON.', '"sku":"B-2"'),
      input('flags', 'Case', { '': 'as written', i: 'any' }),
    ],
  },
  down: {
    title: 'Be down',
    about: 'Connections are refused, as while a service restarts.',
    inputs: [{ ...FOR, hint: 'Then it is there again, by itself.' }],
    values: { forMs: '10' },
  },
  script: {
    title: 'A script',
    about: 'Faults in order: each begins when the one before it is over. {"kind":"none"} is a rest.',
    inputs: [
      input('script', 'Script, as JSON', 'json', 'All but the last need times, requests or forMs.', '[…]'),
    ],
    examples: {
      Restart: script([
        { kind: 'status', status: 503, times: 3 },
        { kind: 'down', forMs: 10_000 },
        { kind: 'latency', ms: 1_500, jitterMs: 1_000, requests: 5 },
      ]),
      'Rate limit': script([
        { kind: 'none', requests: 5 },
        { kind: 'status', status: 429, retryAfter: 5, times: 2 },
      ]),
      'Bad network': script({
        kind: 'script',
        repeat: true,
        steps: [
          { kind: 'none', requests: 3 },
          { kind: 'reset', times: 1 },
          { kind: 'lost-answer', times: 1 },
          { kind: 'latency', ms: 3_000, times: 2 },
        ],
      }),
    },
  },
};

function script(script: readonly Fault[] | Script): Values {
  return { script: JSON.stringify(script, null, 2) };
}

/** The inputs for the requests that a fault acts on. */
const SCOPE: readonly Input[] = [
  input('endpoint', 'On', ENDPOINTS),
  input('percent', 'Out of 100 requests', 'number', 'By a seeded choice.', '100'),
  input('times', 'Times, at most', 'number', 'Empty: no bound.'),
  FOR,
  input('skip', 'Requests let through first', 'number', '', '0'),
  input('requests', 'Over after, in requests', 'number', 'Whether it acted on them or not.'),
  input('afterMs', 'Begins after, in seconds', 'seconds', '', '0'),
];

/** The inputs for a fault of a kind. */
export function inputsOf(kind: Kind): readonly Input[] {
  const fits = ({ name }: Input) => {
    if (kind === 'poison') return name !== 'endpoint';
    return kind !== 'script' && (kind !== 'down' || name === 'endpoint' || name === 'afterMs');
  };
  return [...KINDS[kind].inputs, ...SCOPE.filter(fits)];
}

/** The fault of a form. A text that is not a number is sent unchanged, so that the refusal says so. */
export function toFault(kind: Kind, values: Values): unknown {
  if (kind === 'script') return readJson(values.script ?? '');
  const fault: Record<string, unknown> = { kind };
  for (const { name, type } of inputsOf(kind)) {
    const text = values[name] ?? '';
    if (text !== '') fault[name] = toValue(name, type, text);
  }
  return fault;
}

function toValue(name: string, type: Input['type'], text: string): unknown {
  const isNumber = type === 'number' || type === 'seconds' || name === 'retryAfter';
  const number = Number(text);
  if (!isNumber || Number.isNaN(number)) return text;
  return type === 'seconds' ? Math.round(number * 1_000) : number;
}
