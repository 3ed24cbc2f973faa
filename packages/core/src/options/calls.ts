import { ConfigError, InvalidEventError } from '@sluice/protocol';
import { hasMethods, type Rule, refusal } from '@sluice/protocol/toolbox';
import type { CheckedMethod } from '../parts.ts';
import type { FinishOptions } from '../tell/stats.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
import { meant } from './names.ts';

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

/** What `flush()` and `close()` take. */
const FINISH: Readonly<Record<keyof FinishOptions, Rule>> = {
  // A deadline that has passed may be negative.
  timeoutMs: [(value) => typeof value === 'number' && !Number.isNaN(value), 'a number of milliseconds'],
  signal: [(value) => hasMethods(value, 'addEventListener', 'removeEventListener'), 'an AbortSignal'],
};

/**
 * Checks what a method was given: the name of an event, options, or more arguments than it has. Throws a ConfigError, or an
 * InvalidEventError for `identify()`.
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
  const known = Object.keys(EVENTS);
  throw unknown('on()', event, known, meant(event, known));
}

function checkFinish(method: string, given: unknown): void {
  if (given === undefined || given === null) return;
  if (typeof given !== 'object') throw refused(method, 'called with an object of options', given);
  const known = Object.keys(FINISH);
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(FINISH, name) && FINISH[name as keyof FinishOptions];
    if (!rule) throw unknown(method, name, known, meant(name, known));
    if (value !== undefined && !rule[0](value)) throw refused(`${name} of ${method}`, rule[1], value);
  }
}

/** A name is shown only if it resembles a known one: any other may be the key. */
function unknown(method: string, name: string, known: readonly string[], hint?: string): ConfigError {
  const rule = hint ? `"${name}"; ${hint}` : `such name; there are ${known.join(', ')}`;
  return new ConfigError(method, `${method} knows no ${rule}`);
}

/** A text is not shown: it may be the key. */
function refused(option: string, allowed: string, value: unknown): ConfigError {
  if (typeof value !== 'string') return refusal(option, allowed, value);
  return new ConfigError(option, `${option} must be ${allowed}, got a string`);
}
