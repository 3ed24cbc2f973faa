import { ANYTHING, flag, type Rule, type Rules, readRules, refusal, whole } from '@sluice/protocol/toolbox';
import type { CustomerQuery } from '../customers/customer-list.ts';
import { isJsonObject } from '../events/json-text.ts';
import { Refusal } from '../events/refusal.ts';
import { type BodyBounds, readJsonBody } from '../http/request-body.ts';
import type { RequestContext } from '../running/application.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadConditions } from '../search/payload-query.ts';
import type { RequestQuery } from '../storage/request-store.ts';

type Request = RequestContext['req'];

/** The fields that the query of a URL may have. A route takes those that it needs. */
type UrlFields = Omit<SearchFilter, 'payload'> &
  Omit<RequestQuery, 'limit'> &
  CustomerQuery & {
    readonly [Name in 'payload' | 'keys' | 'field' | 'start']?: string;
  } & { readonly preview: boolean };

/** Limits of an operator's body. They do not depend on the service's limit, so that customers can always be imported. */
export const OPERATOR_BODY: BodyBounds = { maxBytes: 32 * 1024 * 1024 };
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

const ID = whole(undefined, 1, Number.MAX_SAFE_INTEGER);
const A_TIME: Rule = [Number.isInteger, 'a time as 2026-11-22T04:05:06.789Z'];
const TYPED_TEXT: Rule = [
  (text) => String(text).length <= 1_000 && String(text).trim().split(/\s+/).length <= 20,
  'a text of at most 1000 characters and 20 words',
];
const TIMES: Rules = { from: A_TIME, to: A_TIME };
const NUMBERS: Rules = {
  before: ID,
  offset: whole(0, 0, Number.MAX_SAFE_INTEGER),
  limit: whole(100, 1, 1_000),
};
const FLAGS: Rules = { attributed: flag(), descending: flag(), preview: flag(false) };
const TEXTS = [
  ...['name', 'correlationValue', 'source', 'payload', 'keys'],
  ...['search', 'outcome', 'value', 'sort', 'field', 'start'],
].map((name) => [name, ANYTHING] as const);
const FIELDS = { ...TIMES, ...NUMBERS, ...FLAGS, text: TYPED_TEXT, ...Object.fromEntries(TEXTS) };

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
  if (isJsonObject(value)) return value[name];
  throw refusal('body', `an object with ${name}`, value);
}

/** Reads the id in a path. Throws {@link ConfigError}. */
export function readId(request: Request): number {
  return Number(readRules({ id: ID }, '', { id: toNumber(request.param('id') ?? '') }).id);
}

/** Returns what was looked for by its id. Throws {@link Refusal} if there is none (or `false`). */
export function found<T>(value: T | undefined | false, what: string): T {
  if (value !== undefined && value !== false) return value;
  throw new Refusal('unknown_id', `There is no ${what} with this id: it was removed, or never was.`);
}

/** Reads the query of a URL. Empty fields count as not given, and unknown ones are ignored. Throws {@link ConfigError}. */
export function readFields(request: Request): UrlFields {
  const given = Object.entries(request.query()).filter(
    ([name, text]) => Object.hasOwn(FIELDS, name) && text !== '',
  );
  // The cast is safe: the rules have the names of the type, and they check each value.
  return readRules(FIELDS, '', valuesOf(given)) as unknown as UrlFields;
}

/** Reads the filter from the query of a URL. Throws {@link ConfigError}. */
export function readSearchFilter(request: Request): SearchFilter {
  const { payload = '', ...fields } = readFields(request);
  return { ...fields, payload: readPayloadConditions(payload) };
}

/** Converts fields of a URL to the types that they must have. What cannot be converted is refused when it is checked. */
export function valuesOf(fields: readonly (readonly [name: string, text: string])[]): object {
  const values = fields.map(([name, text]) => {
    if (Object.hasOwn(NUMBERS, name)) return [name, toNumber(text)];
    if (Object.hasOwn(FLAGS, name) && /^(true|false)$/.test(text)) return [name, text === 'true'];
    return [name, Object.hasOwn(TIMES, name) && TIME.test(text) ? Date.parse(text) : text];
  });
  return Object.fromEntries(values);
}

function toNumber(text: string): number | string {
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}
