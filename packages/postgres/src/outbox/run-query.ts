import { ConfigError } from '@sluice/protocol';

/**
 * Runs one statement in the caller's transaction. `values` are numbers and texts, for `$1`, `$2` and so on: each stands once in
 * the statement, in this order.
 *
 * @example const run: RunQuery = (sql, values) => transaction.executeQuery(CompiledQuery.raw(sql, values)); // Kysely
 */
export type RunQuery = (sql: string, values: (string | number)[]) => PromiseLike<unknown>;

/** A client of `pg` in a transaction, or a function that runs SQL in one. */
export type OutboxClient = RunQuery | { query: RunQuery };

/** Throws a ConfigError if it is none. */
export function runQueryOf(client: OutboxClient): RunQuery {
  if (typeof client === 'function') return client;
  if (typeof Object(client).totalCount === 'number')
    throw new ConfigError(
      'client',
      'client must be no pool: each of its statements is a transaction of its own. Pass a client from pool.connect(), in your ' +
        'transaction; without one, (sql, values) => pool.query(sql, values)',
    );
  if (typeof client?.query === 'function') return (sql, values) => client.query(sql, values);
  // Without the value: it may be an address with a password.
  throw new ConfigError('client', 'client must be a client of pg, or a function (sql, values) => Promise');
}
