import { describe } from './describe.ts';
import { ConfigError } from './errors/config-error.ts';
import { isNonEmptyString } from './validate.ts';

/** The most that timers take: 2^31 - 1 ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** What an option may be: how to tell (from its value, and its name for an error of its own), in words, and what it is where it is left out. */
export type Rule = readonly [
  isValid: (value: unknown, option?: string) => boolean,
  allowed: string,
  fallback?: unknown,
];

/** By the names of options; those of a group are a table of their own. */
export interface Rules {
  readonly [name: string]: Rule | Rules;
}

/** For what is read by itself. */
export const ANYTHING: Rule = [() => true, ''];
/** The most that most sizes may be. */
const MOST = 2 ** 31;

/** Whole numbers, from `least` to `most`. */
export function whole(fallback: number | undefined, least = 1, most: number = MOST): Rule {
  const isValid = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return [isValid, `a whole number from ${least} to ${most}`, fallback];
}

/** Milliseconds, as many as timers take. */
export function milliseconds(fallback: number | undefined, least = 1): Rule {
  return whole(fallback, least, MAX_TIMER_MS);
}

/** One of these words. The last one in the text is `last`. */
export function oneOf(fallback: string, words: readonly string[]): Rule {
  const quoted = words.map((word) => `"${word}"`);
  const allowed = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return [(value) => words.includes(String(value)) && typeof value === 'string', allowed, fallback];
}

/** Yes or no. */
export function flag(fallback: boolean): Rule {
  return [(value) => typeof value === 'boolean', 'true or false', fallback];
}

/** Any text but an empty one. */
export function nonEmpty(fallback?: string, allowed = 'a non-empty string'): Rule {
  return [isNonEmptyString, allowed, fallback];
}

/** Functions. */
export function aFunction(fallback?: unknown, allowed = 'a function'): Rule {
  return [(value) => typeof value === 'function', allowed, fallback];
}

/** Objects that have these methods. */
export function methods(allowed: string, ...names: string[]): Rule {
  return [(value) => hasMethods(value, ...names), allowed];
}

/** An object that has these methods. */
export function hasMethods(value: unknown, ...methods: string[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof Reflect.get(value, method) === 'function')
  );
}

/**
 * Options as their rules have them, complete. Throws a ConfigError that names the option, its value, and what is allowed.
 *
 * @param path Of the group; empty for the options themselves.
 */
export function readRules(rules: Rules, path: string, given: unknown): Record<string, unknown> {
  const prefix = path && `${path}.`;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    // A text in place of the options may be the key.
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
    const value: unknown = Reflect.get(given, name);
    if (!isRule(rule)) read[name] = readRules(rule, prefix + name, value === undefined ? {} : value);
    else if (value === undefined) read[name] = rule[2];
    else if (rule[0](value, prefix + name)) read[name] = value;
    else throw refusal(prefix + name, rule[1], value);
  }
  return read;
}

/** Says what an option must be. */
export function refusal(option: string, allowed: string, value: unknown): ConfigError {
  return new ConfigError(option, `${option} must be ${allowed}, got ${describe(value)}`);
}

function isRule(rule: Rule | Rules): rule is Rule {
  return Array.isArray(rule);
}
