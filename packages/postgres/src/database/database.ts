import { type Clock, inTime } from '@sluice/protocol/toolbox';
import type { Pool, PoolClient } from 'pg';
import { QueryError } from './query-error.ts';

/** A row of a result. `bigint` columns are strings. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement, and what it is for, in words: `cannot ${what}`. */
export interface Query {
  readonly what: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** PostgreSQL warns after a commit that the standby may not have it. */
const NOT_REPLICATED = '01000';

const ignore = () => {};

/**
 * Runs single statements, each in a transaction of its own, on connections of a pool. Prepares none by name and keeps nothing in a
 * session: PgBouncer may pool by transaction.
 */
export class Database {
  /** The quoted name of the schema. */
  readonly schema: string;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  /** @param timeoutMs How long a statement may take. PostgreSQL's `statement_timeout` does not end the wait for a standby. */
  constructor(pool: Pool, schema: string, clock: Clock, timeoutMs: number) {
    this.#pool = pool;
    this.schema = schema;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    // Otherwise a connection that is cut while nobody uses it ends the process.
    pool.on('error', ignore);
  }

  /** Runs a statement. Rejects with a QueryError. @param onDoubt Called if the commit may not have reached the standby. */
  async run({ what, text, values = [] }: Query, onDoubt: () => void = ignore): Promise<readonly Row[]> {
    const client = await this.#connect(what);
    const noticed = ({ code }: { readonly code?: string | undefined }) => {
      if (code === NOT_REPLICATED) onDoubt();
    };
    client.on('error', ignore);
    client.on('notice', noticed);
    let error: QueryError | undefined;
    try {
      const { rows }: { rows: Row[] } = await inTime(
        this.#clock,
        client.query(text, [...values]),
        this.#timeoutMs,
        () => this.#lateError('answer'),
      );
      return rows;
    } catch (cause) {
      // After an error that is not fatal, PostgreSQL has done nothing, and the connection can be used again.
      const isUnknown = Object(cause).severity !== 'ERROR';
      error = new QueryError(what, cause, isUnknown);
      throw error;
    } finally {
      client.off('notice', noticed);
      client.release(error?.isUnknown);
      if (!error?.isUnknown) client.off('error', ignore);
    }
  }

  /** Stops listening to the pool. */
  close(): void {
    this.#pool.off('error', ignore);
  }

  /** A connection. If it comes too late it goes back unused: what it would have done may be done by then. */
  #connect(what: string): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const fail = (cause: unknown) => reject(new QueryError(what, cause, false));
      const timer = this.#clock.setTimeout(() => {
        isLate = true;
        fail(this.#lateError('connection'));
      }, this.#timeoutMs);
      this.#pool.connect().then(
        (client) => {
          timer.cancel();
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          timer.cancel();
          fail(error);
        },
      );
    });
  }

  #lateError(what: string): Error {
    return new Error(`no ${what} within ${this.#timeoutMs} ms`);
  }
}
