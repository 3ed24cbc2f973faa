/**
 * A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev): Zod, Valibot, ArkType
 * and others. Declares only the part that is used.
 */
export interface StandardSchema<Output, Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** For the type checker. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
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

/** Whether a value is a schema of a library that follows Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchema<unknown> {
  return (
    typeof (value as Partial<StandardSchema<unknown>> | undefined)?.['~standard']?.validate === 'function'
  );
}

/** The path of an issue as text: `address.city`. */
export function issuePath({ path = [] }: SchemaIssue): string {
  return path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
}
