import { ConfigError } from '@sluice/protocol';

/** The schema of the tables, if none is given. */
const DEFAULT_SCHEMA = 'sluice';
/** PostgreSQL cuts longer names. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** The name of a schema, checked and quoted: SQL cannot take it as a parameter. Throws a ConfigError. */
export function quotedSchema(name: unknown = DEFAULT_SCHEMA): string {
  if (typeof name === 'string' && NAME.test(name)) return `"${name}"`;
  // Without the value: it may be an address with a password.
  throw new ConfigError(
    'schema',
    'schema must be at most 63 of a to z, 0 to 9 and _, and start with no digit',
  );
}
