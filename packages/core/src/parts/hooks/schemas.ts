import { ConfigError, InvalidEventError } from '@sluice/protocol';
import { describe, isStandardSchema, issuePath, type StandardSchema } from '@sluice/protocol/toolbox';

/** Schemas of payloads, by event. */
export type Schemas = Readonly<Record<string, StandardSchema<unknown>>>;

/** The payloads that schemas take, by event. */
export type Inputs<Given> = {
  [Name in keyof Given]: Given[Name] extends StandardSchema<infer _Output, infer Input> ? Input : never;
};

/** Of the events of a name: the first one, and then each so many-th, is checked if they are only sampled. */
const EACH = 100;

/** A function that returns what the schema of an event makes of its payload. It throws an InvalidEventError. */
export type CheckPayload = (name: string, payload: unknown) => unknown;

/**
 * Throws a ConfigError if a schema is asynchronous.
 *
 * @param onAsync Called if one turns out to be asynchronous only with a certain payload. Such an event is sent unchecked.
 */
export function checkPayloads(
  schemas: Schemas,
  isSampled: boolean,
  onAsync: (error: unknown) => void,
): CheckPayload {
  const rule = (name: string) => `events.${name} must be a Standard Schema that validates synchronously`;
  for (const [name, schema] of Object.entries(schemas)) {
    const isRight = isStandardSchema(schema) && !isPromise(validate(schema, {}));
    if (!isRight) throw new ConfigError(`events.${name}`, `${rule(name)}, got ${describe(schema)}`);
  }
  const counts = new Map<string, number>();
  return (name, payload) => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (schema === undefined) return payload;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (isSampled && count % EACH > 0) return payload;
    const result = validate(schema, payload);
    if (isPromise(result)) {
      onAsync(new Error(rule(name)));
      return payload;
    }
    if (!result.issues) return result.value;
    const [issue = { message: 'refused' }] = result.issues;
    const field = ['payload', issuePath(issue)].filter((part) => part !== '').join('.');
    throw new InvalidEventError(field, `${field} of ${JSON.stringify(name)}: ${issue.message}`);
  };
}

/** A promise is not awaited. Its rejection is ignored. */
function validate(
  schema: StandardSchema<unknown>,
  payload: unknown,
): ReturnType<StandardSchema<unknown>['~standard']['validate']> {
  const result = schema['~standard'].validate(payload);
  if (isPromise(result)) result.catch(() => undefined);
  return result;
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | undefined)?.then === 'function';
}
