import { ConfigError, InvalidEventError } from '@sluice/protocol';
import {
  ANYTHING,
  describe,
  hasMethods,
  type Rule,
  type Rules,
  refusal,
  tried,
  withoutSecrets,
} from '@sluice/protocol/toolbox';
import { payloadText } from '../accept/payload.ts';
import { MOST_EVENT_BYTES } from '../base/event-bytes.ts';
import { isFields } from '../base/user-code.ts';
import { digits } from '../parts/hooks.ts';
import { SYNCHRONOUS } from '../parts/schemas.ts';
import type { CheckedPart, Parts } from '../parts.ts';
import type { FinishOptions } from '../tell/stats.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
import type { TrackerOptions } from './options.ts';
import { checkOptions, RULES } from './rules.ts';

/** By name: an event that is added to the type but not here does not compile. */
const EVENTS: Readonly<Record<keyof TrackerEvents, true>> = {
  delivered: true,
  dropped: true,
  deadLettered: true,
  invalid: true,
  recovered: true,
  damaged: true,
  request: true,
  requestFailed: true,
  storageFailed: true,
  breaker: true,
  paused: true,
  resumed: true,
  rateLimit: true,
  bodyLimit: true,
  storageChanged: true,
  replayed: true,
  deadLettersDropped: true,
  callbackFailed: true,
};

const FINISH: Readonly<Record<keyof FinishOptions, Rule>> = {
  // A deadline that has passed may be negative.
  timeoutMs: [(value) => typeof value === 'number' && !Number.isNaN(value), 'a number of milliseconds'],
  signal: [(value) => hasMethods(value, 'addEventListener', 'removeEventListener'), 'an AbortSignal'],
};

const NO_PAGE =
  'relay is for pages: here, give baseUrl and apiKey, or enabled: false while a server renders a page';
const PARTS: Readonly<Record<keyof Parts, Rule>> = {
  bounds: ANYTHING,
  checked: ANYTHING,
  classify: ANYTHING,
  deadLetters: ANYTHING,
  destination: ANYTHING,
  guards: ANYTHING,
  gzip: ANYTHING,
  hooks: ANYTHING,
  idempotency: ANYTHING,
  learn: ANYTHING,
  logger: ANYTHING,
  perCustomer: ANYTHING,
  waitUntil: ANYTHING,
};
/** Option names of other trackers, and the option of Sluice. */
const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  clock: 'give it to createTracker() of @sluice/core/testing',
  random: 'give it to createTracker() of @sluice/core/testing',
  url: 'the address of the service is baseUrl',
  host: 'the address of the service is baseUrl',
  endpoint: 'the address of the service is baseUrl',
  api_host: 'the address of the service is baseUrl',
  key: 'the key is apiKey',
  token: 'the key is apiKey',
  writeKey: 'the key is apiKey',
  primaryKey: 'the name of the primary key is correlationKey',
  flushAt: 'it is batch.maxEvents here',
  maxEventsInBatch: 'it is batch.maxEvents here',
  flushInterval: 'it is batch.maxWaitMs here',
  maxQueueSize: 'it is buffer.maxEvents here',
  maxRetries: 'an event is tried until it is storage.maxAgeMs old',
  disabled: 'it is enabled here',
  property_denylist: 'it is redact here',
};
/** Shorter names begin many others, and a longer one is no slip of the pen. */
const [SHORTEST, LONGEST] = [4, 40];
/** At most this many objects of a schema are searched. */
const MOST_SEARCHED = 2_000;

/**
 * Makes the check for platforms where size matters little. It also checks combinations of options, their content, the names of
 * parts, and the arguments of methods.
 *
 * @param checkMore Checks what only this platform has, after the rules.
 */
export function thoroughly(
  checkMore: (options: TrackerOptions) => void = () => {},
  rules: Rules = RULES,
): CheckedPart {
  // A page takes the option `relay` out, unless it is undefined.
  const known = { ...rules, parts: PARTS, relay: ANYTHING };
  return (given, method) => {
    if (method) return checkCall(method, given);
    const { apiKey, relay } = Object(given);
    withoutSecrets([apiKey], () => {
      if (relay !== undefined) throw new ConfigError('relay', NO_PAGE);
      checkNames(given, known);
      checkHeaders(given);
      checkOptions(given, known);
      // The cast is safe: the rules hold.
      const options = given as TrackerOptions;
      checkWaits(options);
      checkContext(options);
      checkSchemas(options);
      checkMore(options);
    });
  };
}

/** Throws a ConfigError for an unknown option, if the user probably means another one. */
function checkNames(given: unknown, rules: Rules): void {
  const groups = Object.entries(rules).filter(([, rule]) => !Array.isArray(rule));
  const tables = [['', rules], ...groups] as readonly (readonly [string, Rules])[];
  for (const [group, table] of tables) {
    const values: unknown = group === '' ? given : Reflect.get(Object(given), group);
    if (typeof values !== 'object' || values === null) continue;
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(table, name)) continue;
      const option = pathOf(group, name);
      const other = Object.hasOwn(OTHER_OPTIONS, option) ? OTHER_OPTIONS[option] : undefined;
      const hint = other ?? elsewhere(name, tables) ?? meant(name, Object.keys(table), group);
      if (hint !== undefined) throw new ConfigError(option, `${option} is not an option; ${hint}`);
    }
  }
}

/** Suggests the known name that begins with a wrong one, or is most like it. Undefined if all differ by more than a third. */
function meant(name: string, known: readonly string[], group = ''): string | undefined {
  if (name.length > LONGEST) return undefined;
  const [nearest] = known
    .map((other) => ({ other, far: difference(other.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= name.length / 3)
    .sort((one, other) => one.far - other.far);
  return nearest && `did you mean ${pathOf(group, nearest.other)}?`;
}

/** Suggests the options of this name in other groups. */
function elsewhere(name: string, tables: readonly (readonly [string, Rules])[]): string | undefined {
  const found = tables
    .filter(([, table]) => Object.hasOwn(table, name))
    .map(([group]) => pathOf(group, name));
  return found.length > 0 ? `did you mean ${found.join(' or ')}?` : undefined;
}

/** How many characters must be added, removed or replaced to make one text of the other. 0 if a known name begins with the wrong one. */
function difference(known: string, wrong: string): number {
  if (wrong.length >= SHORTEST && known.startsWith(wrong)) return 0;
  let row = Array.from({ length: wrong.length + 1 }, (_, index) => index);
  for (const [at, character] of [...known].entries()) {
    const next = [at + 1];
    for (let index = 0; index < wrong.length; index += 1) {
      const replaced = (row[index] ?? 0) + (character === wrong[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function pathOf(group: string, name: string): string {
  return group === '' ? name : `${group}.${name}`;
}

/** Says which header is wrong. Its value may be a secret. */
function checkHeaders(given: unknown): void {
  const { delivery, destination } = Object(given);
  const groups = { delivery: Object(delivery).headers, destination: Object(destination).headers };
  for (const [group, headers] of Object.entries(groups)) {
    if (typeof headers !== 'object' || Array.isArray(headers)) continue;
    for (const [name, value] of Object.entries(Object(headers))) {
      if (typeof value === 'string' && /^[\t -~]*$/.test(value)) continue;
      const got = typeof value === 'string' ? 'other characters' : describe(value);
      const option = `${group}.headers`;
      throw new ConfigError(option, `${option} must have ASCII text as "${name}", got ${got}`);
    }
  }
}

function checkWaits({ delivery = {} }: TrackerOptions): void {
  const { retryBaseMs = 0, retryMaxMs = 60_000 } = delivery;
  if (retryBaseMs <= retryMaxMs) return;
  const option = 'delivery.retryMaxMs';
  const rule = `must not be less than delivery.retryBaseMs (${retryBaseMs})`;
  throw new ConfigError(option, `${option} (${retryMaxMs}) ${rule}`);
}

/** Each event would be refused for a value that JSON cannot hold. */
function checkContext({ bigint, context, maxEventBytes = MOST_EVENT_BYTES }: TrackerOptions): void {
  if (typeof context !== 'object' || context === null) return;
  try {
    payloadText(bigint ? digits(context, { room: maxEventBytes }) : context, maxEventBytes);
  } catch (error) {
    // A getter may fail now and work when an event is tracked.
    if (error instanceof InvalidEventError)
      throw new ConfigError('context', error.message.replace(/^payload/, 'context'));
  }
}

function checkSchemas({ events, validate }: TrackerOptions): void {
  if (validate === 'never') return;
  for (const [name, schema] of Object.entries(Object(events))) {
    // A getter may throw.
    if (!tried(() => isAsynchronous(schema))) continue;
    const option = `events.${name}`;
    throw new ConfigError(option, `${option} must be ${SYNCHRONOUS}, got an asynchronous schema`);
  }
}

/** Whether an asynchronous function can be found in a schema, or what Valibot marks as asynchronous. */
function isAsynchronous(schema: unknown): boolean {
  const found = new Set([schema]);
  for (const value of found) {
    const { _def, _zod, async }: Record<string, unknown> = Object(value);
    if (async === true || Object.prototype.toString.call(value) === '[object AsyncFunction]') return true;
    // The methods of a Zod schema are asynchronous, too, but do not count.
    for (const inner of Object.values(Object(_zod ?? _def ?? value)))
      if (Object(inner) === inner && found.size < MOST_SEARCHED) found.add(inner);
  }
  return false;
}

/** Checks the arguments of a method. Throws a ConfigError, or an InvalidEventError for `identify()`. */
function checkCall(method: string, given: unknown): void {
  if (method === 'on') {
    if (!Object.hasOwn(EVENTS, String(given))) throw unknown('on()', String(given), EVENTS);
  } else if (method !== 'identify') checkFinish(`${method}()`, given);
  else if (Array.isArray(given) && given.length > 0) {
    const rule = 'identify() takes the customer alone: track other fields with an event';
    throw new InvalidEventError('identify', rule);
  }
}

function checkFinish(method: string, given: unknown): void {
  if (given === undefined || given === null) return;
  if (!isFields(given)) throw refused(method, 'called with an object of options', given);
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(FINISH, name) && FINISH[name as keyof FinishOptions];
    if (!rule) throw unknown(method, name, FINISH);
    if (value !== undefined && !rule[0](value)) throw refused(`${name} of ${method}`, rule[1], value);
  }
}

/** A name is shown only if it resembles a known one: any other may be the key. */
function unknown(method: string, name: string, table: object): ConfigError {
  const known = Object.keys(table);
  const hint = meant(name, known);
  const rule = hint ? `"${name}"; ${hint}` : `such name; there are ${known.join(', ')}`;
  return new ConfigError(method, `${method} knows no ${rule}`);
}

/** A text is not shown: it may be the key. */
function refused(option: string, allowed: string, value: unknown): ConfigError {
  if (typeof value !== 'string') return refusal(option, allowed, value);
  return new ConfigError(option, `${option} must be ${allowed}, got a string`);
}
