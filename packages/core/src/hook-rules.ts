import { readPolicy } from './delivery-policy.ts';
import { hasMethods, type Rule } from './rules.ts';
import type { HookRules } from './settings.ts';

/** RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a request has already. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'host',
]);

/** What the options of an application's own code may be. */
export const HOOK_RULES: HookRules = {
  waitUntil: aFunction('a function'),
  logger: methods('an object with debug, info, warn and error', 'debug', 'info', 'warn', 'error'),
  transport: methods('a Transport, with post and close', 'post', 'close'),
  clock: methods('a Clock, with now and setTimeout', 'now', 'setTimeout'),
  random: aFunction('a function that returns numbers from 0 to 1'),
  delivery: {
    // Says by itself what is wrong.
    policy: [(value) => readPolicy(value) !== undefined, '', {}],
    classify: aFunction('a function'),
    idempotencyHeader: [isFreeHeader, 'the name of a header that Sluice does not send itself'],
  },
};

function aFunction(allowed: string): Rule {
  return [(value) => typeof value === 'function', allowed];
}

function methods(allowed: string, ...names: string[]): Rule {
  return [(value) => hasMethods(value, ...names), allowed];
}

function isFreeHeader(value: unknown): boolean {
  return typeof value === 'string' && HEADER_NAME.test(value) && !OWN_HEADERS.has(value.toLowerCase());
}
