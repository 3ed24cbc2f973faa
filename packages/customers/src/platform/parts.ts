import { ConfigError } from '@sluice/protocol';
import type { Redact } from '@sluice/protocol/toolbox';
import type { CachePart } from '../cache.ts';
import type { ConcurrencyPart } from '../concurrency.ts';
import type { SchemaPart } from '../standard-schema.ts';

/**
 * Optional code. In Node and on the edge, a reader has all of it. A page imports the parts that it uses:
 * `createCustomerReader({ …, cache: { ttlMs: 60_000 }, parts: { cache } })`.
 */
export interface Parts {
  /** `@sluice/customers/cache`: needed for the option `cache`. */
  readonly cache?: CachePart | undefined;
  /** `@sluice/customers/checked`: checks all options. Development builds of a page have it without asking. */
  readonly checked?: CheckedPart | undefined;
  /** `@sluice/customers/concurrency`: needed for the option `concurrency`. */
  readonly concurrency?: ConcurrencyPart | undefined;
  /** `@sluice/customers/schema`: needed for reads with a `schema`. */
  readonly schema?: SchemaPart | undefined;
}

/**
 * Checks the options of a reader, or of one `read()`. Throws a `ConfigError` that names the first wrong one, its value (never the
 * key), and what is allowed.
 */
export type CheckedPart = (options: unknown, redact: Redact, isRead?: boolean) => void;

/** Throws a `ConfigError` that says how to add the part that an option needs. */
export function missingPart(name: keyof Parts): never {
  const how = `give parts: { ${name} }, from @sluice/customers/${name}`;
  throw new ConfigError(name, `${name} needs a part here: ${how}`);
}
