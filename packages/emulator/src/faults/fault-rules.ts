import { ConfigError } from '@sluice/protocol';
import {
  ANYTHING,
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

type Settings = Readonly<Record<string, Rule>>;
/** The rules of a kind of fault: of the settings that it needs, of its others, and of its scope. */
type Kind = readonly [needed: Settings, others?: Settings, scope?: Settings];

const SCOPE: Readonly<Record<keyof FaultScope, Rule>> = {
  endpoint: oneOf(['events', 'customers']),
  percent: [(value) => typeof value === 'number' && value > 0 && value <= 100, 'a number above 0, to 100'],
  skip: whole(undefined, 0),
  times: whole(undefined),
  requests: whole(undefined),
  afterMs: milliseconds(undefined, 0),
  forMs: milliseconds(undefined),
};
const BODY: Rule = [(value) => typeof value === 'string', 'a text'];
const RETRY_AFTER: Rule = [isRetryAfter, 'a whole number of seconds, or a date as HTTP has it'];
const FLAGS: Rule = [
  (value) => /^[imsu]*$/.test(String(value)),
  'flags of a regular expression: some of i, m, s, u',
];
const STEPS: Rule = [(value) => Array.isArray(value) && value.length > 0, 'an array of at least one fault'];

// A record: if a kind of the type is missing here, the code does not compile.
const KINDS: Readonly<Record<(Fault | Script)['kind'], Kind>> = {
  status: [{ status: whole(undefined, 200, 599) }, { body: BODY, retryAfter: RETRY_AFTER }],
  latency: [{ ms: milliseconds(undefined) }, { jitterMs: milliseconds(undefined, 0) }],
  hang: [{}],
  reset: [{}, { at: oneOf(['before', 'middle']) }],
  'lost-answer': [{}],
  'too-large': [{ bytes: whole(undefined) }],
  poison: [{ pattern: nonEmpty(undefined, 'the text of a regular expression') }, { flags: FLAGS }],
  // It depends only on time: while connections are refused, there are no requests to count.
  down: [{ forMs: SCOPE.forMs }, {}, { endpoint: SCOPE.endpoint, afterMs: SCOPE.afterMs }],
  none: [{}],
  script: [{ steps: STEPS }, { repeat: flag(false) }, {}],
};
const ALL = Object.keys(KINDS);

/**
 * Checks a fault or a script; an array of faults is a script. Throws a {@link ConfigError} that names what is wrong.
 *
 * @param path Name of the value in errors: `fault`, or `faults[2]`.
 */
export function readFault(value: unknown, path = 'fault', kinds: readonly string[] = ALL): Fault | Script {
  const given: unknown = Array.isArray(value) ? { kind: 'script', steps: value } : value;
  if (typeof given !== 'object' || given === null) throw refusal(path, 'an object with a kind', given);
  const kind: unknown = Reflect.get(given, 'kind');
  if (typeof kind !== 'string' || !kinds.includes(kind)) {
    throw refusal(`${path}.kind`, `one of ${kinds.join(', ')}`, kind);
  }
  const [needed, others, scope = SCOPE] = KINDS[kind as Fault['kind']];
  const read = readRules({ kind: ANYTHING, ...scope, ...needed, ...others }, path, given);
  for (const [name, [, allowed]] of Object.entries(needed)) {
    if (read[name] === undefined) throw refusal(`${path}.${name}`, allowed, undefined);
  }
  const set = Object.entries(read).filter(([, each]) => each !== undefined);
  // The cast is safe: the rules have the names of the kind, and they check each value.
  const fault = Object.fromEntries(set) as unknown as Fault | Script;
  if (fault.kind === 'poison') checkPattern(fault.pattern, fault.flags, `${path}.pattern`);
  return fault.kind === 'script' ? { ...fault, steps: readSteps(fault, `${path}.steps`) } : fault;
}

function readSteps({ steps, repeat }: Script, path: string): Fault[] {
  const singles = ALL.filter((kind) => kind !== 'script');
  // The cast is safe: a step cannot be a script.
  const read = steps.map((step, index) => readFault(step, `${path}[${index}]`, singles) as Fault);
  const needEnd = repeat ? read : read.slice(0, -1);
  const endless = needEnd.findIndex(
    ({ times, requests, forMs }) => (times ?? requests ?? forMs) === undefined,
  );
  if (endless === -1) return read;
  const rule = 'must have times, requests or forMs: else the step after it never begins';
  throw new ConfigError(`${path}[${endless}]`, `${path}[${endless}] ${rule}`);
}

function checkPattern(pattern: string, flags: string | undefined, path: string): void {
  try {
    new RegExp(pattern, flags);
  } catch (error) {
    throw new ConfigError(path, `${path} must be a regular expression: ${messageOf(error)}`);
  }
}

function isRetryAfter(value: unknown): boolean {
  if (typeof value === 'string') return /^[\x20-\x7e]+$/.test(value);
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
