import { refusal } from '@sluice/protocol';
import { InvalidCustomerError } from './errors/invalid-customer-error.ts';

/**
 * A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev): Zod, Valibot, ArkType
 * and others. Only what is used of it is declared.
 */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** What a schema makes of a value: its output, or its issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One issue, with the path to it as keys or as objects that have a key. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Throws a `ConfigError` where a schema is none. */
export function checkSchema(schema: StandardSchema<unknown>): void {
  if (typeof schema?.['~standard']?.validate === 'function') return;
  throw refusal('schema', 'of Standard Schema, version 1 (an object with "~standard")', schema);
}

/** What a schema makes of a customer, or an `InvalidCustomerError`. */
export async function applySchema<T>(
  schema: StandardSchema<T>,
  customer: unknown,
  primaryKey: string,
): Promise<T> {
  const result = await schema['~standard'].validate(customer);
  if (!result.issues) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
    message,
  }));
  throw new InvalidCustomerError(primaryKey, issues);
}
