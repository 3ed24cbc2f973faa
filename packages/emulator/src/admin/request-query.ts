import { ConfigError } from '@sluice/protocol';
import { refusal } from '@sluice/protocol/toolbox';
import { type BodyBounds, readJsonBody } from '../http/request-body.ts';
import type { RequestContext } from '../running/application.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadConditions } from '../search/payload-query.ts';
import type { ValueField } from '../search/value-list.ts';

type Request = RequestContext['req'];

/** Limits of an operator's body. They do not depend on the service's limit, so that customers can always be imported. */
export const OPERATOR_BODY: BodyBounds = { maxBytes: 32 * 1024 * 1024 };
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const FIELDS: readonly ValueField[] = ['name', 'source', 'correlationValue'];
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

/** Reads `before` and `limit` (default 100) of a list. Throws {@link ConfigError}. */
export function readPaging(request: Request): { before: number | undefined; limit: number } {
  return {
    before: readWhole('before', request.query('before')),
    limit: readWhole('limit', request.query('limit'), 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
  };
}

/** Reads `offset`, the number of rows to skip (default 0). Throws {@link ConfigError}. */
export function readOffset(request: Request): number {
  return readWhole('offset', request.query('offset'), 0) ?? 0;
}

/** Reads the id in a path. Throws {@link ConfigError}. */
export function readId(request: Request): number {
  return readWhole('id', request.param('id')) ?? 0;
}

/** Reads the filter from the query of a URL. Empty fields count as not given. Throws {@link ConfigError}. */
export function readSearchFilter(request: Request): SearchFilter {
  const read = (name: string) => request.query(name) || undefined;
  return {
    name: read('name'),
    correlationValue: read('correlationValue'),
    source: read('source'),
    text: checkText(read('text')),
    from: readTime('from', read('from')),
    to: readTime('to', read('to')),
    attributed: readFlag(request, 'attributed'),
    payload: readPayloadConditions(read('payload') ?? ''),
  };
}

/** Reads a flag. Undefined if it is not given, or empty. Throws {@link ConfigError}. */
export function readFlag(request: Request, name: string): boolean | undefined {
  const given = request.query(name) || undefined;
  if (given === undefined || given === 'true' || given === 'false') return given && given === 'true';
  throw refusal(name, 'true or false', given);
}

/** Reads the name of the field whose values are wanted. Throws {@link ConfigError}. */
export function readValueField(request: Request): ValueField {
  const name = request.query('field');
  const field = FIELDS.find((each) => each === name);
  if (field !== undefined) return field;
  throw refusal('field', `one of ${FIELDS.join(', ')}`, name);
}

function readWhole(
  name: string,
  text: string | undefined,
  min = 1,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= min && number <= max) return number;
  throw refusal(name, `a whole number from ${min} to ${max}`, text);
}

function checkText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > LONGEST_TEXT || text.trim().split(/\s+/).length > MOST_WORDS) {
    const rule = `must have at most ${LONGEST_TEXT} characters and ${MOST_WORDS} words`;
    throw new ConfigError('text', `text ${rule}, got ${text.length} characters`);
  }
  return text;
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw refusal(name, 'a time as 2026-11-22T04:05:06.789Z', text);
}
