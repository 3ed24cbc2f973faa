import { StorageError } from '@sluice/core';

/** PostgreSQL's codes for a schema and for a table that is not there. */
const NO_TABLE: ReadonlySet<unknown> = new Set(['3F000', '42P01']);

/** Whether PostgreSQL says that a schema or a table is not there. */
export function lacksTable(cause: unknown): boolean {
  return NO_TABLE.has(Object(cause).code);
}

/** PostgreSQL's codes for a statement that did nothing because others ran at the same time, and a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** A statement failed. */
export class QueryError extends StorageError {
  /** Whether PostgreSQL may have done it all the same: the connection was cut, or there was no answer in time. */
  readonly isUnknown: boolean;
  /** PostgreSQL's code of the error, such as `23503`. Undefined if the error is not PostgreSQL's. */
  readonly state: string | undefined;

  constructor(what: string, cause: unknown, isUnknown: boolean) {
    const { code, message } = Object(cause);
    const advice = lacksTable(cause) ? ': call migrate() first, with the same schema' : '';
    super(`cannot ${what} in PostgreSQL: ${message || code || String(cause)}${advice}`, { cause });
    this.isUnknown = isUnknown;
    this.state = typeof code === 'string' ? code : undefined;
  }

  /** Whether the same statement may succeed at once. */
  get isConflict(): boolean {
    return !this.isUnknown && CONFLICTS.has(this.state);
  }
}

/** PostgreSQL's code for a row that refers to no row, or that others refer to. */
export const FOREIGN_KEY = '23503';

/** PostgreSQL's codes of errors that end the connection: it was cut, the server stops, it crashed, or the session took too long. */
const FATAL = /^(?:08|57P|25P|XX)/;

/**
 * Whether an error is PostgreSQL's and not fatal: it has done nothing. The word for `ERROR` is in the language of the server
 * (`lc_messages`), so it is not enough.
 */
export function isRefusal(cause: unknown): boolean {
  const { code, severity } = Object(cause);
  if (severity === 'ERROR') return true;
  return typeof severity === 'string' && !/^(?:FATAL|PANIC)$/.test(severity) && !FATAL.test(code);
}
