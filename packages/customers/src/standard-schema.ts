import { ConfigError } from '@sluice/protocol';
import { isStandardSchema, issuePath, type Redact, type StandardSchema } from '@sluice/protocol/toolbox';
import { abortable } from './abortable.ts';
import { InvalidCustomerError } from './errors/invalid-customer-error.ts';

/** Returns what a schema makes of a customer. Rejects with an `InvalidCustomerError` if the schema refuses it. */
export type Validate<T> = (customer: unknown, primaryKey: string, signal?: AbortSignal) => Promise<T>;

/** Throws a `ConfigError` if the value is no Standard Schema. */
export type SchemaPart = <T>(schema: StandardSchema<T>, redact: Redact) => Validate<T>;

/**
 * For pages. Elsewhere, this is built in.
 * @example createCustomerReader({ ...options, parts: { schema } });
 */
export const schema: SchemaPart = <T>(schema: StandardSchema<T>, redact: Redact): Validate<T> => {
  // Without the value: it may be the key.
  if (!isStandardSchema(schema)) throw new ConfigError('schema', 'schema must be a Standard Schema');
  const validate = async (customer: unknown, primaryKey: string): Promise<T> => {
    const result = await schema['~standard'].validate(customer);
    if (!result.issues) return result.value;
    const issues = result.issues.map((issue) => ({
      path: redact(issuePath(issue)),
      message: redact(issue.message),
    }));
    throw new InvalidCustomerError(redact(primaryKey), issues);
  };
  return (customer, primaryKey, signal) => abortable(validate(customer, primaryKey), signal);
};
