import type { Fault } from '../../src/faults/fault.ts';

/** The kinds of faults that can be switched on alone. */
export type Kind = Exclude<Fault['kind'], 'none'>;

/** The values of a form, as text. `forMs` and `afterMs` are in seconds. Empty values are left out. */
export type Values = Readonly<Record<string, string>>;

/** An input of the form for a fault: its texts and its type. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly type: 'number' | 'seconds' | 'text' | 'long-text' | Readonly<Record<string, string>>;
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

const FOR: Input = {
  name: 'forMs',
  label: 'Lasts, in seconds',
  hint: 'Empty: until it is stopped.',
  type: 'seconds',
};

/** The texts and inputs of each kind. */
export const KINDS: Readonly<Record<Kind, KindWords>> = {
  status: {
    title: 'Answer with a status',
    about: 'In place of the service: 503, 429 with Retry-After, or a proxy that answers 200.',
    inputs: [
      { name: 'status', label: 'Status', hint: '200 to 599.', type: 'number' },
      {
        name: 'retryAfter',
        label: 'Retry-After',
        hint: 'Seconds, or an HTTP date. Empty: none.',
        type: 'text',
      },
      { name: 'body', label: 'Body', hint: 'Empty: an error as refusals have it.', type: 'long-text' },
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
      { name: 'ms', label: 'Wait, in milliseconds', type: 'number' },
      {
        name: 'jitterMs',
        label: 'Up to so much longer',
        hint: 'In milliseconds, by chance.',
        type: 'number',
      },
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
    inputs: [
      {
        name: 'at',
        label: 'When',
        type: { before: 'Before: nothing is stored', middle: 'In the middle of the answer: it is stored' },
      },
    ],
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
    inputs: [{ name: 'bytes', label: 'Largest body, in bytes', type: 'number' }],
    values: { bytes: '10000' },
  },
  poison: {
    title: 'Refuse certain events',
    about: 'Those whose JSON matches a pattern, as if they broke a rule.',
    inputs: [
      {
        name: 'pattern',
        label: 'Pattern',
        hint: 'A regular expression, matched with the JSON of each event.',
        placeholder: '"sku":"B-2"',
        type: 'text',
      },
      { name: 'flags', label: 'Case', type: { '': 'as written', i: 'any' } },
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

/** The inputs for the requests that a fault acts on: first the usual ones, then the rest. */
const SCOPE: { readonly first: readonly Input[]; readonly rest: readonly Input[] } = {
  first: [
    {
      name: 'endpoint',
      label: 'On',
      type: { '': 'all requests', events: 'batches of events', customers: 'reading customers' },
    },
    {
      name: 'percent',
      label: 'Out of 100 requests',
      placeholder: '100',
      hint: 'By a seeded choice.',
      type: 'number',
    },
    { name: 'times', label: 'Times, at most', hint: 'Empty: no bound.', type: 'number' },
    FOR,
  ],
  rest: [
    { name: 'skip', label: 'Requests let through first', placeholder: '0', type: 'number' },
    {
      name: 'requests',
      label: 'Over after, in requests',
      hint: 'Whether it acted on them or not.',
      type: 'number',
    },
    { name: 'afterMs', label: 'Begins after, in seconds', placeholder: '0', type: 'seconds' },
  ],
};

/** The inputs for the scope of a kind. */
export function scopeInputs(kind: Kind): {
  readonly first: readonly Input[];
  readonly rest: readonly Input[];
} {
  const without = (name: string) => (input: Input) => input.name !== name;
  if (kind === 'poison') return { first: SCOPE.first.filter(without('endpoint')), rest: SCOPE.rest };
  if (kind !== 'down') return SCOPE;
  const ofDown = ({ name }: Input) => name === 'endpoint' || name === 'afterMs';
  return { first: SCOPE.first.filter(ofDown), rest: SCOPE.rest.filter(ofDown) };
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
