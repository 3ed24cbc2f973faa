import { ConfigError, InvalidEventError } from '@sluice/protocol';
import { ANYTHING, describe, hasMethods, type Rule } from '@sluice/protocol/toolbox';
import type { CheckedMethod, CheckedPart, Parts } from '../parts.ts';
import type { FinishOptions } from '../tell/stats.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
import { meant } from './names.ts';
import { RULES } from './rules.ts';
import { checkThoroughly } from './thorough.ts';

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

/** Events of former versions. */
const OTHER_EVENTS: Readonly<Record<string, string>> = {
  failedAttempt: 'it is requestFailed now',
  hookFailed: 'it is callbackFailed now',
  journal: 'it is storageChanged now',
};

/** What `flush()` and `close()` take. */
const FINISH: Readonly<Record<keyof FinishOptions, Rule>> = {
  // A deadline that has passed may be negative.
  timeoutMs: [(value) => typeof value === 'number' && !Number.isNaN(value), 'a number of milliseconds'],
  signal: [(value) => hasMethods(value, 'addEventListener', 'removeEventListener'), 'an AbortSignal'],
};

/**
 * Checks what a method was given: the name of an event, options, or more arguments than it has. Throws a ConfigError, or an
 * InvalidEventError for `identify()`. No message repeats a text that is far from all known names: it may be the API key.
 */
export function checkCall(method: CheckedMethod, given: unknown): void {
  if (method === 'on') checkEvent(String(given));
  else if (method !== 'identify') checkFinish(`${method}()`, given);
  else if (Array.isArray(given) && given.length > 0) {
    const rule = 'identify() takes the customer alone: track other fields with an event';
    throw new InvalidEventError('identify', rule);
  }
}

function checkEvent(event: string): void {
  if (Object.hasOwn(EVENTS, event)) return;
  const former = Object.hasOwn(OTHER_EVENTS, event) ? OTHER_EVENTS[event] : undefined;
  throw unknown('on()', 'event', event, Object.keys(EVENTS), former);
}

function checkFinish(method: string, given: unknown): void {
  if (given === undefined || given === null) return;
  if (typeof given !== 'object') throw refusal(method, 'called with an object of options', given);
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(FINISH, name) && FINISH[name as keyof FinishOptions];
    if (!rule) throw unknown(method, 'option', name, Object.keys(FINISH));
    if (value !== undefined && !rule[0](value)) throw refusal(`${name} of ${method}`, rule[1], value);
  }
}

/** @param former What has the place of the name, if it was known once. */
function unknown(
  method: string,
  what: string,
  name: string,
  known: readonly string[],
  former?: string,
): ConfigError {
  const hint = former ?? meant(name, known);
  const rule = hint ? `"${name}"; ${hint}` : `such ${what}; there are ${known.join(', ')}`;
  return new ConfigError(method, `${method} knows no ${rule}`);
}

function refusal(option: string, allowed: string, value: unknown): ConfigError {
  const got = typeof value === 'string' ? 'a string' : describe(value);
  return new ConfigError(option, `${option} must be ${allowed}, got ${got}`);
}

/** The parts by name. */
export const PARTS: Readonly<Record<keyof Parts, Rule>> = {
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
  relay: ANYTHING,
  waitUntil: ANYTHING,
};

/** Where nobody waits for a few bytes more: also checks what methods are given, and the names of parts. */
export const fullyChecked: CheckedPart = (given, method) => {
  if (method) checkCall(method, given);
  else checkThoroughly(given, { ...RULES, parts: PARTS });
};
