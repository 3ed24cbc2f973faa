import { ConfigError } from '@sluice/protocol';
import { refusal } from '@sluice/protocol/toolbox';
import { Refusal } from '../events/refusal.ts';
import { type BodyBounds, readJsonBody } from '../http/request-body.ts';
import type { RequestContext } from '../running/application.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadConditions } from '../search/payload-query.ts';

type Request = RequestContext['req'];

/** Limits of an operator's body. They do not depend on the service's limit, so that customers can always be imported. */
export const OPERATOR_BODY: BodyBounds = { maxBytes: 32 * 1024 * 1024 };
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const LONGEST_TEXT = 1_000;
const MOST_WORDS = 20;

/** Reads a JSON body. */
export async function readJson({ env }: RequestContext): Promise<unknown> {
  return (await readJsonBody(env.incoming, OPERATOR_BODY)).value;
}

/** Reads the field `name` of a body, which must be a JSON object. Throws {@link ConfigError}, or what reading the body throws. */
export async function readField(context: RequestContext, name: string): Promise<unknown> {
  return fieldOf(await readJson(context), name);
}

/** The field `name` of a body. Throws {@link ConfigError} if the body is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Reflect.get(value, name);
  throw refusal('body', `an object with ${name}`, value);
}

/** Reads where a page of a list begins: `before` (an id) or `offset` (default 0), and its `limit` (default 100). Throws {@link ConfigError}. */
export function readPaging(request: Request): { before: number | undefined; offset: number; limit: number } {
  return {
    before: read(request, 'before', ...whole()),
    offset: read(request, 'offset', ...whole(0)) ?? 0,
    limit: read(request, 'limit', ...whole(1, MAX_LIMIT)) ?? DEFAULT_LIMIT,
  };
}

/** Reads the id in a path. Throws {@link ConfigError}. */
export function readId(request: Request): number {
  return parse('id', request.param('id'), ...whole()) ?? 0;
}

/** Returns what was looked for by its id. Throws {@link Refusal} if there is none (or `false`). */
export function found<T>(value: T | undefined | false, what: string): T {
  if (value !== undefined && value !== false) return value;
  throw new Refusal('unknown_id', `There is no ${what} with this id: it was removed, or never was.`);
}

/** Reads the filter from the query of a URL. Throws {@link ConfigError}. */
export function readSearchFilter(request: Request): SearchFilter {
  const text = (name: string) => request.query(name) || undefined;
  const time = (name: string) => read(request, name, toTime, 'a time as 2026-11-22T04:05:06.789Z');
  return {
    name: text('name'),
    correlationValue: text('correlationValue'),
    source: text('source'),
    text: checkText(text('text')),
    from: time('from'),
    to: time('to'),
    attributed: readFlag(request, 'attributed'),
    payload: readPayloadConditions(text('payload') ?? ''),
  };
}

/** Reads a flag. Undefined if it is not given. Throws {@link ConfigError}. */
export function readFlag(request: Request, name: string): boolean | undefined {
  const flags = new Map([
    ['true', true],
    ['false', false],
  ]);
  return read(request, name, (text) => flags.get(text), 'true or false');
}

type Parse<T> = (text: string) => T | undefined;

/** Reads a field of the query. Undefined if it is not given, or empty. */
function read<T>(request: Request, name: string, toValue: Parse<T>, rule: string): T | undefined {
  return parse(name, request.query(name) || undefined, toValue, rule);
}

function parse<T>(name: string, text: string | undefined, toValue: Parse<T>, rule: string): T | undefined {
  const value = text === undefined ? undefined : toValue(text);
  if (value === undefined && text !== undefined) throw refusal(name, rule, text);
  return value;
}

function whole(min = 1, max: number = Number.MAX_SAFE_INTEGER): [toValue: Parse<number>, rule: string] {
  const toValue = (text: string) => {
    const number = Number(text);
    return /^\d{1,16}$/.test(text) && number >= min && number <= max ? number : undefined;
  };
  return [toValue, `a whole number from ${min} to ${max}`];
}

function toTime(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function checkText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > LONGEST_TEXT || text.trim().split(/\s+/).length > MOST_WORDS) {
    const rule = `must have at most ${LONGEST_TEXT} characters and ${MOST_WORDS} words`;
    throw new ConfigError('text', `text ${rule}, got ${text.length} characters`);
  }
  return text;
}
