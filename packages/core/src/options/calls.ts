import { ConfigError, InvalidEventError } from '@sluice/protocol';
import { ANYTHING, type Rule } from '@sluice/protocol/toolbox';
import type { CheckedPart, Parts } from '../parts.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
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

/** What each method may be given. */
const KNOWN: Readonly<Record<'on' | 'flush' | 'identify', readonly string[]>> = {
  on: Object.keys(EVENTS),
  flush: ['timeoutMs', 'signal'],
  identify: [],
};

/**
 * Checks names that a method was given: of an event, of options, or of more arguments than the method has. Throws a
 * ConfigError, or an InvalidEventError for `identify()`.
 */
export function checkCall(method: 'on' | 'flush' | 'identify', given: unknown): void {
  const known = KNOWN[method];
  const names = method === 'on' ? [String(given)] : Object.keys(Object(given));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (method === 'identify') {
    throw new InvalidEventError(
      'identify',
      'identify() takes the customer alone: track other fields with an event',
    );
  }
  throw new ConfigError(`${method}()`, `${method}() knows no "${unknown}"; there are ${known.join(', ')}`);
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
  waitUntil: ANYTHING,
};

/** Where nobody waits for a few bytes more: also checks what methods are given, and the names of parts. */
export const fullyChecked: CheckedPart = (given, method) => {
  if (method) checkCall(method, given);
  else checkOptions(given, { ...RULES, parts: PARTS });
};
