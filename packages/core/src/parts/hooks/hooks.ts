import { aFunction, isNonEmptyString, oneOf, type Rule, refusal } from '@sluice/protocol/toolbox';
import type { DropReason } from '../../base/fate.ts';
import { hashOf32 } from '../../base/hash.ts';
import { ask, isWithin } from '../../base/user-code.ts';
import { digits } from './bigints.ts';
import { redacted, seenByJson } from './redact.ts';
import { checkPayloads, type Schemas } from './schemas.ts';

/** What a payload consists of. */
type Fields = Readonly<Record<string, unknown>>;

/** An event before it is written, as `beforeSend` receives it. */
export interface Draft {
  readonly event: string;
  /** With the context. It is a copy, but what lies in it is not. */
  readonly payload: Fields;
  /** The customer; undefined if not known yet. */
  readonly correlationValue: string | undefined;
}

/**
 * What changes, checks or drops an event when it is tracked. Each works once: not again when the event is held, replayed or sent
 * again. If one throws, the tracker emits `callbackFailed`, and the event goes on without it. A page needs the part `hooks`.
 */
export interface HookOptions {
  /**
   * Fields for each payload, such as `pageContext`. Those of the payload win. A function is called with each event. Default: none.
   * @example context: () => ({ ...pageContext(), release: '1.2.3' })
   */
  readonly context?: Fields | (() => Fields) | undefined;
  /**
   * Returns the event, changed or not, or null to drop it (`filtered`). Only name and payload can be changed. Default: none.
   * @example beforeSend: ({ event, payload }) => (event === 'debug' ? null : { event, payload })
   */
  readonly beforeSend?: ((draft: Draft) => Pick<Draft, 'event' | 'payload'> | null) | undefined;
  /**
   * The part of the customers whose events are sent, from 0 to 1. Those of others count as `sampled`. Default: 1.
   * @example sample: 0.1
   */
  readonly sample?: number | undefined;
  /**
   * Paths in payloads whose values become `[redacted]`. `*` is each element or field. Applied last. Default: none.
   * @example redact: ['user.email', 'items.*.note']
   */
  readonly redact?: readonly string[] | undefined;
  /** `string`: a bigint in a payload becomes its digits. Default: such an event is invalid. */
  readonly bigint?: 'string' | undefined;
  /**
   * Schemas of payloads, by event, of any library that follows Standard Schema. They must be synchronous. Default: none.
   * @example events: { purchase: z.object({ total: z.number() }) }
   */
  readonly events?: Schemas | undefined;
  /** `sampled`: of each name, the first event and every hundredth are checked. Default: `always`. */
  readonly validate?: 'always' | 'sampled' | 'never' | undefined;
}

/** What `track()` was given, and the context of a view. */
interface Given {
  readonly event: string;
  readonly payload: unknown;
  readonly context: object | undefined;
}

/** What is to be sent, or why the event is dropped. Throws an InvalidEventError if a schema refuses the payload. */
export type Prepare = (given: Given, customer: string | undefined) => Given | DropReason;

/** Changes, checks and drops events before they are written. A hook that throws loses no event. `maxBytes` bounds an event. Undefined without hooks. */
export type HooksPart = (
  options: HookOptions & { readonly apiKey?: string | undefined },
  maxBytes: number,
  onFailed: (hook: string, error: unknown) => void,
) => Prepare | undefined;

const RULES: Readonly<Record<keyof HookOptions, Rule>> = {
  context: [(value) => typeof value === 'function' || isFields(value), 'an object or a function'],
  beforeSend: aFunction(),
  bigint: [(value) => value === 'string', '"string"'],
  sample: [isWithin(0, 1), 'a number from 0 to 1'],
  redact: [(value) => Array.isArray(value) && value.every(isPath), 'an array of paths'],
  events: [isFields, 'an object of schemas'],
  validate: oneOf(['always', 'sampled', 'never']),
};

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, beforeSend, parts: { hooks } });
 */
export const hooks: HooksPart = (options, maxBytes, onFailed) => {
  const given = Object.entries(RULES).filter(([name]) => options[name as keyof HookOptions] !== undefined);
  if (given.length === 0) return undefined;
  for (const [name, [isRight, allowed]] of given) {
    const value = options[name as keyof HookOptions];
    if (!isRight(value, name)) throw refusal(name, allowed, value);
  }
  const { beforeSend, bigint, events, redact = [], sample = 1, validate } = options;
  const finish = (payload: unknown) => (bigint ? digits(payload, { room: maxBytes }) : payload);
  const failed = (hook: string) => (error: unknown) => onFailed(hook, error);
  const isChecked = events !== undefined && validate !== 'never';
  const check = isChecked && checkPayloads(events, validate === 'sampled');
  /** Of a customer who is not known: all their events are sent, or none. */
  const chance = Math.random();
  return (given, customer) => {
    if (sample < 1 && (customer === undefined ? chance : partOf(customer)) >= sample) return 'sampled';
    const { event } = given;
    const payload = seenByJson(check ? check(event, given.payload) : given.payload);
    const context = { ...contextOf(options.context, failed('context')), ...given.context };
    if (!isFields(payload ?? {}) || (beforeSend === undefined && redact.length === 0))
      return { event, payload: finish(payload), context: finish(context) as object };
    const draft: Draft = {
      event,
      payload: { ...context, ...(payload as Fields | undefined) },
      correlationValue: customer,
    };
    const answer = beforeSend ? change(beforeSend, draft, failed('beforeSend')) : draft;
    if (answer === undefined) return 'filtered';
    return { event: answer.event, payload: finish(redacted(answer.payload, redact)), context: undefined };
  };
};

/** What `beforeSend` made of an event; undefined if it dropped it. */
function change(
  beforeSend: NonNullable<HookOptions['beforeSend']>,
  draft: Draft,
  onFailed: (error: unknown) => void,
): Pick<Draft, 'event' | 'payload'> | undefined {
  let isDropped = false;
  const isAnswer = (answer: unknown): answer is Draft => {
    isDropped = answer === null;
    return isDropped || (isFields(answer) && isFields(answer.payload) && typeof answer.event === 'string');
  };
  const rule = 'beforeSend() must return { event, payload } or null';
  const answer = ask(() => beforeSend(draft), isAnswer, rule, onFailed);
  return isDropped ? undefined : (answer ?? draft);
}

function contextOf(context: HookOptions['context'], onFailed: (error: unknown) => void): Fields {
  if (typeof context !== 'function') return context ?? {};
  return ask(context, isFields, 'context() must return an object', onFailed) ?? {};
}

/** Of names with a dot between two. */
function isPath(value: unknown): boolean {
  return isNonEmptyString(value) && value.split('.').every(isNonEmptyString);
}

function isFields(value: unknown): value is Fields {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** A number from 0 to 1, always the same for a customer. */
function partOf(customer: string): number {
  let hash = hashOf32(customer, 0x811c9dc5);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
