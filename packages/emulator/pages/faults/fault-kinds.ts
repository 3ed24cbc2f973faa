import type { Fault } from '../../src/faults/fault.ts';

/** The kinds of faults that can be switched on alone. */
export type Kind = Exclude<Fault['kind'], 'none'>;

/** The values of a form, as text. `forMs` and `afterMs` are in seconds. Empty values are left out. */
export type Values = Readonly<Record<string, string>>;

/** An input of the form for a fault: its texts and its type. An object as type has the words for each choice. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly type: 'number' | 'seconds' | 'text' | 'long-text' | Readonly<Record<string, string>>;
  readonly hint?: string;
  readonly placeholder?: string;
}

interface KindWords {
  readonly title: string;
  readonly about: string;
  readonly inputs: readonly Input[];
  /** What the form begins with. */
  readonly values: Values;
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
    values: {},
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
    values: {},
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
      input(
        'pattern',
        'Pattern',
        'text',
        'A regular expression, matched with the JSON of each event.',
        '"sku":"B-2"',
      ),
      input('flags', 'Case', { '': 'as written', i: 'any' }),
    ],
    values: { pattern: '' },
  },
  down: {
    title: 'Be down',
    about: 'Connections are refused, as while a service restarts.',
    inputs: [{ ...FOR, hint: 'Then it is there again, by itself.' }],
    values: { forMs: '10' },
  },
};

interface Scope {
  readonly first: readonly Input[];
  readonly rest: readonly Input[];
}

/** The inputs for the requests that a fault acts on: first the usual ones, then the rest. */
const SCOPE: Scope = {
  first: [
    input('endpoint', 'On', ENDPOINTS),
    input('percent', 'Out of 100 requests', 'number', 'By a seeded choice.', '100'),
    input('times', 'Times, at most', 'number', 'Empty: no bound.'),
    FOR,
  ],
  rest: [
    input('skip', 'Requests let through first', 'number', '', '0'),
    input('requests', 'Over after, in requests', 'number', 'Whether it acted on them or not.'),
    input('afterMs', 'Begins after, in seconds', 'seconds', '', '0'),
  ],
};

/** The inputs for the scope of a kind. */
export function scopeInputs(kind: Kind): Scope {
  const fits = ({ name }: Input) => {
    if (kind === 'poison') return name !== 'endpoint';
    return kind !== 'down' || name === 'endpoint' || name === 'afterMs';
  };
  return { first: SCOPE.first.filter(fits), rest: SCOPE.rest.filter(fits) };
}

/** The fault of a form. A text that is not a number is sent unchanged, so that the refusal says so. */
export function toFault(kind: Kind, values: Values): Record<string, unknown> {
  const { first, rest } = scopeInputs(kind);
  const fault: Record<string, unknown> = { kind };
  for (const { name, type } of [...KINDS[kind].inputs, ...first, ...rest]) {
    const text = values[name] ?? '';
    if (text !== '') fault[name] = toValue(name, type, text);
  }
  return fault;
}

function toValue(name: string, type: Input['type'], text: string): unknown {
  if (name === 'retryAfter' && /^\d+$/.test(text)) return Number(text);
  if (type !== 'number' && type !== 'seconds') return text;
  const number = Number(text);
  if (Number.isNaN(number)) return text;
  return type === 'seconds' ? Math.round(number * 1_000) : number;
}
