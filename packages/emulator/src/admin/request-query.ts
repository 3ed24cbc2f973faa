import { ANYTHING, flag, oneOf, type Rule, readRules, refusal, whole } from '@sluice/protocol/toolbox';
import type { CustomerQuery } from '../customers/customer-list.ts';
import { isJsonObject } from '../events/json-text.ts';
import { Refusal } from '../events/refusal.ts';
import { type BodyBounds, readJsonBody } from '../http/request-body.ts';
import type { RequestContext } from '../running/application.ts';
import { readPayloadConditions, readPayloadPaths } from '../search/payload-query.ts';
import type { EventSearch } from '../search/search.ts';
import { COLUMN_OF } from '../storage/event-filter.ts';
import type { RequestQuery } from '../storage/request-store.ts';

type Request = RequestContext['req'];

/** The fields that queries of URLs may have. A route takes some of them. */
type UrlFields = EventSearch &
  RequestQuery &
  CustomerQuery & {
    readonly field: keyof typeof COLUMN_OF;
    readonly start?: string;
  } & { readonly [Name in 'preview' | 'details']: boolean };

/** Limits of an operator's body. They do not depend on the service's limit, so that customers can always be imported. */
export const OPERATOR_BODY: BodyBounds = { maxBytes: 32 * 1024 * 1024 };
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

const ID = whole(undefined, 1, Number.MAX_SAFE_INTEGER);
const TIME_RULE: Rule = [Number.isInteger, 'a time as 2026-11-22T04:05:06.789Z'];
const TYPED_TEXT: Rule = [
  (text) => String(text).length <= 1_000 && String(text).trim().split(/\s+/).length <= 20,
  'a text of at most 1000 characters and 20 words',
];

/** How a field is read from its text, and its rule. What cannot be converted stays a text, and is refused by the rule. */
type Field = readonly [read: (text: string) => unknown, rule: Rule];
const TEXT: Field = [(text) => text, ANYTHING];
/** The fields that are not just any text. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['before', [toValue, ID]],
  ['offset', [toValue, whole(0, 0, Number.MAX_SAFE_INTEGER)]],
  ['limit', [toValue, whole(undefined, 1, 1_000)]],
  ['from', [toTime, TIME_RULE]],
  ['to', [toTime, TIME_RULE]],
  ['attributed', [toValue, flag()]],
  ['descending', [toValue, flag()]],
  ['preview', [toValue, flag(false)]],
  ['details', [toValue, flag(false)]],
  ['text', [String, TYPED_TEXT]],
  ['search', [String, TYPED_TEXT]],
  ['payload', [readPayloadConditions, ANYTHING]],
  ['keys', [readPayloadPaths, ANYTHING]],
  ['field', [String, oneOf(Object.keys(COLUMN_OF), 'name')]],
]);

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
  return Number(readRules({ id: ID }, '', { id: toValue(request.param('id') ?? '') }).id);
}

/** Returns what was looked for by its id. Throws {@link Refusal} if there is none (or `false`). */
export function found<T>(value: T | undefined | false, what: string): T {
  if (value !== undefined && value !== false) return value;
  throw new Refusal('unknown_id', `There is no ${what} with this id: it was removed, or never existed.`);
}

/** Reads these fields of the query of a URL. Empty fields count as not given. Throws {@link ConfigError}, also for other fields. */
export function readFields<Name extends keyof UrlFields>(
  request: Request,
  ...names: readonly Name[]
): Pick<UrlFields, Name> {
  const field = (name: string): Field => FIELDS.get(name) ?? TEXT;
  const given = Object.entries(request.query()).filter(([, text]) => text !== '');
  const values = given.map(([name, text]) => [name, field(name)[0](text)]);
  const rules = Object.fromEntries(names.map((name) => [name, field(name)[1]]));
  // The cast is safe: the rules have the names of the type, and they check each value.
  return readRules(rules, '', Object.fromEntries(values)) as unknown as Pick<UrlFields, Name>;
}

/** A number, `true` or `false`; any other text stays as it is. */
function toValue(text: string): number | boolean | string {
  if (/^(true|false)$/.test(text)) return text === 'true';
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}

function toTime(text: string): number | string {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : time;
}
