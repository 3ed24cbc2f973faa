import { InvalidCustomerError } from './errors/invalid-customer-error.ts';

/**
 * A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev): Zod, Valibot, ArkType
 * and others. Declares only the part that is used.
 */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** The result of a validation: the output value, or the issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One issue. Each step of its path is a key, or an object that has a key. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns what the schema makes of a customer. Throws an `InvalidCustomerError` if the schema refuses it. */
export async function applySchema<T>(
  schema: StandardSchema<T>,
  customer: unknown,
  primaryKey: string,
): Promise<T> {
  const result = await schema['~standard'].validate(customer);
  if (!result.issues) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => ({
    path: path.map(nameOf).join('.'),
    message,
  }));
  throw new InvalidCustomerError(primaryKey, issues);
}

function nameOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === 'object' ? step.key : step);
}
