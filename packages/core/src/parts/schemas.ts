import { InvalidEventError } from '@sluice/protocol';
import {
  isStandardSchema,
  issuePath,
  refusal,
  type SchemaResult,
  type StandardSchema,
  tried,
} from '@sluice/protocol/toolbox';

/** Schemas of payloads, by event. */
export type Schemas = Readonly<Record<string, StandardSchema<unknown>>>;

/** The payloads that schemas take, by event. */
export type Inputs<Given> = {
  [Name in keyof Given]: Given[Name] extends StandardSchema<infer _Output, infer Input> ? Input : never;
};

/** With `sampled`, the first event of each name is checked, and then every hundredth. */
const EACH = 100;

export const SYNCHRONOUS = 'a synchronous Standard Schema';
const ASYNCHRONOUS: SchemaResult<unknown> = { issues: [{ message: 'asynchronous schema' }] };

/**
 * Returns a function that returns what the schema of an event makes of its payload, or throws an InvalidEventError. Throws a ConfigError
 * if a schema is none, or can be seen to be asynchronous.
 */
export function checkPayloads(
  schemas: Schemas,
  isSampled: boolean,
  onFailed: (callback: string, error: unknown) => void,
): (name: string, payload: unknown) => unknown {
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isStandardSchema(schema) || tried(() => validate(schema, {})) === ASYNCHRONOUS)
      throw refusal(`events.${name}`, SYNCHRONOUS, schema);
  }
  const counts = new Map<string, number>();
  return (name, payload) => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (schema === undefined) return payload;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (isSampled && count % EACH > 0) return payload;
    let result: SchemaResult<unknown>;
    try {
      result = validate(schema, payload);
    } catch (error) {
      onFailed(`events.${name}`, error);
      return payload;
    }
    if (!result.issues) return result.value;
    const [issue = { message: 'refused' }] = result.issues;
    const field = ['payload', issuePath(issue)].filter((part) => part !== '').join('.');
    throw new InvalidEventError(field, `${field} of ${JSON.stringify(name)}: ${issue.message}`);
  };
}

function validate(schema: StandardSchema<unknown>, payload: unknown): SchemaResult<unknown> {
  const result = schema['~standard'].validate(payload);
  // ArkType puts the promise of a field's function into the output.
  const promises = [result, ...Object.values(Object(Object(result).value))].filter(isPromise);
  for (const promise of promises) promise.catch(() => undefined);
  return isPromise(result) || promises[0] ? ASYNCHRONOUS : result;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | undefined)?.then === 'function';
}
