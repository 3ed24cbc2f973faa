import { ConfigError } from '@sluice/protocol';
import {
  ANYTHING,
  describe,
  flag,
  milliseconds,
  nonEmpty,
  oneOf,
  type Rule,
  readRules,
  refusal,
  whole,
} from '@sluice/protocol/toolbox';
import { messageOf } from '../messages.ts';
import type { Fault, FaultScope, Script } from './fault.ts';

/** The rules of a kind of fault, and its required settings. */
interface Kind {
  readonly rules: Readonly<Record<string, Rule>>;
  readonly required: readonly string[];
}

const SCOPE: Readonly<Record<keyof FaultScope, Rule>> = {
  endpoint: oneOf(['events', 'customers']),
  percent: [(value) => typeof value === 'number' && value > 0 && value <= 100, 'a number above 0, to 100'],
  skip: whole(undefined, 0),
  times: whole(undefined),
  requests: whole(undefined),
  afterMs: milliseconds(undefined, 0),
  forMs: milliseconds(undefined),
};

// A record: if a kind of the type is missing here, the code does not compile.
const KINDS: Readonly<Record<Fault['kind'], Kind>> = {
  status: kind(['status'], {
    status: whole(undefined, 200, 599),
    body: [(value) => typeof value === 'string', 'a text'],
    retryAfter: [isRetryAfter, 'a whole number of seconds, or a date as HTTP has it'],
  }),
  latency: kind(['ms'], { ms: milliseconds(undefined), jitterMs: milliseconds(undefined, 0) }),
  hang: kind([]),
  reset: kind([], { at: oneOf(['before', 'middle']) }),
  'lost-answer': kind([]),
  'too-large': kind(['bytes'], { bytes: whole(undefined) }),
  poison: kind(['pattern'], {
    pattern: nonEmpty(undefined, 'the text of a regular expression'),
    flags: [(value) => /^[imsu]*$/.test(String(value)), 'flags of a regular expression: some of i, m, s, u'],
  }),
  // It depends only on time: while connections are refused, there are no requests to count.
  down: {
    required: ['forMs'],
    rules: { kind: ANYTHING, endpoint: SCOPE.endpoint, afterMs: SCOPE.afterMs, forMs: SCOPE.forMs },
  },
  none: kind([]),
};

/**
 * Checks a fault or a script; an array of faults is a script. Throws a {@link ConfigError} that names what is wrong.
 *
 * @param path Name of the value in errors: `fault`, or `faults[2]`.
 */
export function readFault(value: unknown, path = 'fault'): Fault | Script {
  if (Array.isArray(value)) return readScript({ kind: 'script', steps: value }, path);
  return kindOf(value, path, [...Object.keys(KINDS), 'script']) === 'script'
    ? readScript(value, path)
    : readSingle(value, path);
}

function readScript(value: unknown, path: string): Script {
  const rules = { kind: ANYTHING, steps: STEPS, repeat: flag(false) };
  const { steps, repeat } = readRules(rules, path, value);
  if (!Array.isArray(steps)) throw refusal(`${path}.steps`, STEPS[1], steps);
  const read = steps.map((step, index) => readSingle(step, `${path}.steps[${index}]`));
  const endless = read.findIndex(
    (step, index) => !hasEnd(step) && (repeat === true || index < steps.length - 1),
  );
  if (endless !== -1) {
    const at = `${path}.steps[${endless}]`;
    throw new ConfigError(
      at,
      `${at} must have times, requests or forMs: else the step after it never begins`,
    );
  }
  return { kind: 'script', steps: read, repeat: repeat === true };
}

function readSingle(value: unknown, path: string): Fault {
  const { rules, required } = KINDS[kindOf(value, path, Object.keys(KINDS)) as Fault['kind']];
  const read = readRules(rules, path, value);
  for (const name of required) {
    if (read[name] === undefined) throw refusal(`${path}.${name}`, rules[name]?.[1] ?? 'given', undefined);
  }
  // The cast is safe: the rules have the names of the kind, and they check each value.
  const fault = Object.fromEntries(Object.entries(read).filter(([, each]) => each !== undefined));
  if (typeof fault.pattern === 'string') checkPattern(fault.pattern, String(fault.flags ?? ''), path);
  return fault as unknown as Fault;
}

function kindOf(value: unknown, path: string, kinds: readonly string[]): string {
  if (typeof value !== 'object' || value === null) {
    throw new ConfigError(path, `${path} must be an object with a kind, got ${describe(value)}`);
  }
  const given: unknown = Reflect.get(value, 'kind');
  if (typeof given === 'string' && kinds.includes(given)) return given;
  throw refusal(`${path}.kind`, `one of ${kinds.join(', ')}`, given);
}

function checkPattern(pattern: string, flags: string, path: string): void {
  try {
    new RegExp(pattern, flags);
  } catch (error) {
    throw new ConfigError(
      `${path}.pattern`,
      `${path}.pattern must be a regular expression: ${messageOf(error)}`,
    );
  }
}

const STEPS: Rule = [(value) => Array.isArray(value) && value.length > 0, 'an array of at least one fault'];

function hasEnd({ times, requests, forMs }: Fault): boolean {
  return times !== undefined || requests !== undefined || forMs !== undefined;
}

function kind(required: readonly string[], rules: Readonly<Record<string, Rule>> = {}): Kind {
  return { required, rules: { kind: ANYTHING, ...rules, ...SCOPE } };
}

function isRetryAfter(value: unknown): boolean {
  if (typeof value === 'string') return /^[\x20-\x7e]+$/.test(value);
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
