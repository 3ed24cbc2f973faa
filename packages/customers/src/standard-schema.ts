import { refusal } from '@sluice/protocol/toolbox';
import { abortable } from './abortable.ts';
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

/** Returns what a schema makes of a customer. Rejects with an `InvalidCustomerError` if the schema refuses it. */
export type Validate<T> = (customer: unknown, primaryKey: string, signal?: AbortSignal) => Promise<T>;

/** Throws a `ConfigError` if the value is no Standard Schema. */
export type SchemaPart = <T>(schema: StandardSchema<T>) => Validate<T>;

/** For pages: `createCustomerReader({ …, parts: { schema } })`. Elsewhere, this is built in. */
export const schema: SchemaPart = <T>(schema: StandardSchema<T>): Validate<T> => {
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw refusal('schema', 'a Standard Schema', schema);
  const validate = async (customer: unknown, primaryKey: string): Promise<T> => {
    const result = await schema['~standard'].validate(customer);
    if (!result.issues) return result.value;
    const issues = result.issues.map(({ message, path = [] }) => ({
      path: path.map(nameOf).join('.'),
      message,
    }));
    throw new InvalidCustomerError(primaryKey, issues);
  };
  return (customer, primaryKey, signal) => abortable(validate(customer, primaryKey), signal);
};

function nameOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === 'object' ? step.key : step);
}
