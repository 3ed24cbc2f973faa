import { ConfigError } from '../errors/config-error.ts';
import { MAX_TIMER_MS } from './clock.ts';
import { describe } from './describe.ts';

/**
 * The rule of an option: a test of its value, the allowed values in words, and the default. The test also gets the name of the
 * option, so that it can throw its own error.
 */
export type Rule = readonly [
  isValid: (value: unknown, option?: string) => boolean,
  allowed: string,
  fallback?: unknown,
];

/** Rules by option name. A group of options has a nested table. */
export interface Rules {
  readonly [name: string]: Rule | Rules;
}

/** Accepts every value: for an option that other code checks. */
export const ANYTHING: Rule = [() => true, ''];
/** The default upper limit of `whole`. */
const MOST = 2 ** 31;

/** A rule for whole numbers from `least` to `most`. */
export function whole(fallback?: number, least = 1, most: number = MOST): Rule {
  const isValid = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return [isValid, `a whole number from ${least} to ${most}`, fallback];
}

/** A rule for milliseconds, up to the longest delay that timers accept. */
export function milliseconds(fallback?: number, least = 1): Rule {
  return whole(fallback, least, MAX_TIMER_MS);
}

/** A rule for one of these words. */
export function oneOf(words: readonly string[], fallback?: string): Rule {
  const quoted = words.map((word) => `"${word}"`);
  const allowed = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return [(value) => words.includes(String(value)) && typeof value === 'string', allowed, fallback];
}

/** A rule for booleans. */
export function flag(fallback?: boolean): Rule {
  return [(value) => typeof value === 'boolean', 'true or false', fallback];
}

/** Whether a value is a string with at least one character. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A rule for strings that are not empty. */
export function nonEmpty(fallback?: string, allowed = 'a non-empty string'): Rule {
  return [isNonEmptyString, allowed, fallback];
}

/** A rule for functions. */
export function aFunction(fallback?: unknown): Rule {
  return [(value) => typeof value === 'function', 'a function', fallback];
}

/** A rule for objects that have these methods. */
export function methods(...names: string[]): Rule {
  return [(value) => hasMethods(value, ...names), `an object with ${names.join(', ')}`];
}

/** Whether a value is an object that has these methods. */
export function hasMethods(value: unknown, ...methods: string[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof Reflect.get(value, method) === 'function')
  );
}

/**
 * Checks options against their rules. Returns all options, with defaults for those left out. Throws a ConfigError that names
 * the option, its value, and what is allowed.
 *
 * @param path Name of the group of options; empty at the top level.
 */
export function readRules(rules: Rules, path: string, given: unknown): Record<string, unknown> {
  const prefix = path && `${path}.`;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    // A string in place of the options may be the API key, so it is not shown.
    const got = path === '' && typeof given === 'string' ? 'a string' : describe(given);
    throw new ConfigError(path || 'options', `${path || 'options'} must be an object, got ${got}`);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(rules, name)) continue;
    const known = Object.keys(rules).join(', ');
    throw new ConfigError(prefix + name, `${prefix}${name} is not an option; there are ${known}`);
  }
  const read: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    // What a page added to Object.prototype is no option.
    const value: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
    if (!isRule(rule)) read[name] = readRules(rule, prefix + name, value === undefined ? {} : value);
    else if (value === undefined) read[name] = rule[2];
    else if (rule[0](value, prefix + name)) read[name] = value;
    else throw refusal(prefix + name, rule[1], value);
  }
  return read;
}

/** Returns the error that says what an option must be. */
export function refusal(option: string, allowed: string, value: unknown): ConfigError {
  return new ConfigError(option, `${option} must be ${allowed}, got ${describe(value)}`);
}

function isRule(rule: Rule | Rules): rule is Rule {
  return Array.isArray(rule);
}
