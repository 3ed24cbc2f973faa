import { aFunction, isNonEmptyString, oneOf, type Rule, refusal } from '@sluice/protocol/toolbox';
import { hasToJson, isLong, isPlain, LOSSY, MAX_DEPTH, payloadText } from '../accept/payload.ts';
import type { DropReason } from '../base/fate.ts';
import { hashOf32 } from '../base/hash.ts';
import { ask, isFields, isWithin } from '../base/user-code.ts';
import { checkPayloads, type Schemas } from './schemas.ts';

const REDACTED = '[redacted]';
/** Each element of an array, and each property of an object. */
const ANY = '*';

/** An upper bound of the bytes that are left. What must exceed them is not read: a file may have millions of elements. */
interface Walk {
  room: number;
}

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
  readonly context?: object | undefined;
}

/** What is to be sent, or why the event is dropped. Throws an InvalidEventError if a schema refuses the payload. */
type Prepare = (given: Given, customer: string | undefined) => Given | DropReason;

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
 * For pages. In Node a tracker has this already. Returns undefined without hooks.
 * @example createTracker({ ...options, beforeSend, parts: { hooks } });
 * @param onFailed Called if a hook throws. No event is lost by that.
 */
export function hooks(
  options: HookOptions & { readonly apiKey?: string | undefined; readonly maxEventBytes: number },
  onFailed: (hook: string, error: unknown) => void,
): Prepare | undefined {
  const given = Object.entries(RULES).filter(([name]) => options[name as keyof HookOptions] !== undefined);
  if (!given[0]) return undefined;
  for (const [name, [isRight, allowed]] of given) {
    const value = options[name as keyof HookOptions];
    if (!isRight(value, name)) throw refusal(name, allowed, value);
  }
  const { beforeSend, bigint, context, events, maxEventBytes, redact = [], sample = 1, validate } = options;
  const finish = (given: unknown) => {
    const walk = { room: maxEventBytes };
    const payload = redact.reduce((copy, path) => redactAt(copy, path.split('.'), walk), given);
    return bigint ? digits(payload, walk) : payload;
  };
  /** Throws an InvalidEventError if no event can have this payload. */
  const textOf = (payload: unknown) => payloadText(finish(payload), maxEventBytes);
  const isSound = (made: unknown): made is Fields => isFields(made) && !!textOf(made);
  const isAnswer = (answer: unknown): answer is Pick<Draft, 'event' | 'payload'> | null =>
    answer === null || (isFields(answer) && isNonEmptyString(answer.event) && isSound(answer.payload));
  const check = events && validate !== 'never' && checkPayloads(events, validate === 'sampled', onFailed);
  const fields = () => {
    if (typeof context !== 'function') return { ...context };
    const made: unknown = context();
    // A getter may throw. What is added to all events must not make them invalid.
    return isSound(made) ? { ...made } : made;
  };
  /** Of a customer who is not known: all their events are sent, or none. */
  let chance: number | undefined;
  return (given, customer) => {
    if (sample < 1) {
      chance ??= Math.random();
      if ((customer ? partOf(customer) : chance) >= sample) return 'sampled';
    }
    const { event } = given;
    const seen = seenByJson(check ? check(event, given.payload) : given.payload, { room: maxEventBytes });
    const added = {
      ...ask(fields, isFields, 'context() must return an object', (error) => onFailed('context', error)),
      ...given.context,
    };
    // Without a context, an event without a payload stays without one.
    if (!beforeSend && !redact[0])
      return {
        event,
        payload: finish(seen),
        context: (context ?? given.context) && (finish(added) as object),
      };
    // An object that names its own kind, or nothing for an event: then this throws.
    const payload = isFields(seen ?? {}) ? seen : JSON.parse(textOf(seen));
    const draft = (): Draft => ({
      event,
      // JSON has no undefined: such a field does not win.
      payload: {
        ...added,
        ...Object.fromEntries(Object.entries(payload ?? {}).filter(([, item]) => item !== undefined)),
      },
      correlationValue: customer,
    });
    const rule = 'beforeSend() must return { event, payload } or null';
    const failed = (error: unknown) => {
      // What cannot be sent anyway is not the fault of the hook.
      textOf(draft().payload);
      onFailed('beforeSend', error);
    };
    const answer = beforeSend && ask(() => beforeSend(draft()), isAnswer, rule, failed);
    if (answer === null) return 'filtered';
    const changed = answer ?? draft();
    return { event: changed.event, payload: finish(changed.payload) };
  };
}

/** Names with dots between them. */
function isPath(value: unknown): boolean {
  return isNonEmptyString(value) && value.split('.').every(isNonEmptyString);
}

/** Returns a number from 0 to 1, always the same for a customer. */
function partOf(customer: string): number {
  const hash = hashOf32(customer, 0x811c9dc5);
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

/**
 * A copy of the value with the digits of each bigint in it as text.
 *
 * @param walk How many values may still be looked at. What has more, or is deeper, as in a cycle, is refused later.
 */
export function digits(given: unknown, walk: Walk, depth = 0): unknown {
  const value = seenByJson(given, walk);
  if (typeof value === 'bigint') return String(value);
  walk.room -= 1;
  if (depth > MAX_DEPTH || walk.room < 0 || !isTree(value, walk)) return value;
  return copyOf(value, (item) => digits(item, walk, depth + 1));
}

/** Replaces the values at a path, in a copy. Names may have dots themselves. */
function redactAt(given: unknown, steps: readonly string[], walk: Walk): unknown {
  if (!steps[0]) return REDACTED;
  const value = seenByJson(given, walk);
  if (!isTree(value, walk)) return value;
  return copyOf(value, (item, name) =>
    steps.reduce<unknown>((safe, _, index) => {
      const step = steps.slice(0, index + 1).join('.');
      return step === ANY || step === name ? redactAt(safe, steps.slice(index + 1), walk) : safe;
    }, item),
  );
}

/** JSON calls no toJSON of what a toJSON returned. So that nothing calls it later, this has none. */
function seenByJson(value: unknown, walk: Walk): unknown {
  if (!hasToJson(value) || isLong(value, walk)) return value;
  const seen = value.toJSON('');
  if (typeof seen !== 'object' || !hasToJson(seen)) return seen;
  const { toJSON: _, ...fields } = seen;
  return Array.isArray(seen) ? [...seen] : fields;
}

/** Whether JSON writes what is in it. Others stay as they are, and are refused later. */
function isTree(value: unknown, walk: Walk): value is object {
  if (typeof value !== 'object' || value === null || value instanceof String || isLong(value, walk))
    return false;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return Array.isArray(value) || isPlain(value) || (Object.keys(value).length > 0 && !LOSSY.test(kind));
}

/** Unlike an assignment, it also copies a property `__proto__`. */
function copyOf(value: object, change: (item: unknown, name: string) => unknown): object {
  if (Array.isArray(value)) return Array.from(value, (item, index) => change(item, String(index)));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]));
}

/**
 * The page of an event: `url`, `title`, `referrer`, `language`, `viewport` (`1280x720`). Undefined where there is no page.
 *
 * @example createTracker({ baseUrl, correlationKey: 'email', context: pageContext, parts: { hooks } });
 */
export function pageContext(): Readonly<Record<string, unknown>> {
  const { document, location, navigator, innerWidth, innerHeight } = globalThis;
  return {
    url: location?.href,
    title: document?.title,
    referrer: document?.referrer,
    language: navigator?.language,
    viewport: document && `${innerWidth}x${innerHeight}`,
  };
}

/**
 * The process of an event: `pid`, `platform`, `arch`, `runtime` (the version of Node).
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', context: processContext });
 */
export function processContext(): Readonly<Record<string, unknown>> {
  const { arch, pid, platform, version } = process;
  return { pid, platform, arch, runtime: version };
}
