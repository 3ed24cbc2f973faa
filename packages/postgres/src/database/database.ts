import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ConfigError } from '@sluice/protocol';
import { type Clock, hasMethods, inTime } from '@sluice/protocol/toolbox';
import pg, { type CustomTypesConfig, type Pool, type PoolClient, type PoolConfig } from 'pg';
import { cancelStatement } from './cancel.ts';
import { isRefusal, QueryError } from './query-error.ts';

/** A row of a result: each value as PostgreSQL's text, or null. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement, and what it is for, in words: `cannot ${what}`. */
export interface Query {
  readonly what: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Whether it fails, with an unknown outcome, if its commit may not have reached the standby. */
  readonly needsStandby?: boolean;
  /** How long it may take, in milliseconds, if not as long as others. The wait for a connection is no longer than others either. */
  readonly timeoutMs?: number;
  /** Cancels it. */
  readonly signal?: AbortSignal;
}

/** PostgreSQL warns after a commit that the standby may not have it. */
const NOT_REPLICATED = '01000';

/** PostgreSQL's code for a change on a server, or in a session, that takes none. */
const READ_ONLY = '25006';

/**
 * How often to run a statement that did nothing because of others at the same time. Where all transactions are serializable by
 * default that is usual; twice in a row is rare.
 */
const MOST_TRIES = 10;

/** Connections of a pool that is made here. */
const CONNECTIONS = 4;

/** How long to wait for the answer to a statement that was cancelled, in milliseconds. */
const CANCEL_MS = 1_000;

/** What an application sets for its own types does not count. */
const TEXTS: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

const ignore = () => {};

/**
 * Runs statements on connections of a pool. Prepares none by name and keeps nothing in a session: PgBouncer may pool by transaction.
 */
export class Database {
  /** The quoted name of the schema. */
  readonly schema: string;
  /** How to connect. */
  readonly connection: PoolConfig;
  readonly #pool: Pool;
  readonly #isOwn: boolean;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** Connections with a statement that was cancelled. That may end the next one in its place: they are closed. */
  readonly #cancelled = new WeakSet<PoolClient>();
  /** How many use it. */
  #users = 1;

  /**
   * Throws a ConfigError if values would not come as texts.
   *
   * @param timeoutMs How long a statement may take. PostgreSQL's `statement_timeout` does not end the wait for a standby.
   */
  constructor(pool: Pool | PoolConfig, schema: string, clock: Clock, timeoutMs: number) {
    this.#isOwn = !isPool(pool);
    // A pool hides its password from copies of its options.
    const given = isPool(pool) ? { ...pool.options, password: pool.options.password } : pool;
    this.connection = { connectionTimeoutMillis: timeoutMs, ...given };
    if (('binary' in given && given.binary) || pg.defaults.binary)
      throw new ConfigError('pool', 'pool must not have the option binary: the journal reads texts');
    this.#pool = isPool(pool)
      ? pool
      : new pg.Pool({ max: CONNECTIONS, allowExitOnIdle: true, ...this.connection });
    this.schema = schema;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    // Otherwise a connection that is cut while nobody uses it ends the process.
    this.#pool.on('error', ignore);
  }

  /**
   * Runs a statement, or several on one connection. What PostgreSQL breaks off because of others is run again, from the first one on.
   * Resolves to the rows of the last one. Rejects with a QueryError.
   */
  async run(first: Query, ...others: readonly Query[]): Promise<readonly Row[]> {
    for (let tries = 1; ; tries += 1)
      try {
        return await this.#run(first, others);
      } catch (error) {
        if (tries === MOST_TRIES || !(error instanceof QueryError && error.isConflict)) throw error;
      }
  }

  async #run(first: Query, others: readonly Query[]): Promise<readonly Row[]> {
    const client = await this.#connect(first);
    let isBroken = true;
    try {
      let rows: readonly Row[] = [];
      for (const query of [first, ...others]) rows = await this.#ask(client, query);
      isBroken = false;
      return rows;
    } catch (error) {
      // After another error PostgreSQL has done nothing, and the connection can be used again, unless it is in a transaction, or to a
      // server that is no primary any more: a new one may lead to that.
      isBroken =
        others.length > 0 || !(error instanceof QueryError) || error.isUnknown || error.state === READ_ONLY;
      throw error;
    } finally {
      isBroken ||= this.#cancelled.has(client);
      client.release(isBroken);
      if (!isBroken) client.off('error', ignore);
    }
  }

  async #ask(client: PoolClient, query: Query): Promise<readonly Row[]> {
    const { what, text, values = [], needsStandby, signal, timeoutMs = this.#timeoutMs } = query;
    let isReplicated = true;
    let late: Error | undefined;
    const noticed = ({ code }: { readonly code?: string | undefined }) => {
      if (code === NOT_REPLICATED) isReplicated = false;
    };
    const giveUp = () => {
      late ??= lateError('answer', timeoutMs);
      return late;
    };
    client.on('notice', noticed);
    try {
      signal?.throwIfAborted();
      const answer = client.query({ text, values: [...values], types: TEXTS });
      const stopped = signal && once(signal, 'abort').then(() => Promise.reject(giveUp()));
      const wanted = stopped ? Promise.race([answer, stopped]) : answer;
      let isAnswered = false;
      const answered = () => {
        isAnswered = true;
      };
      answer.then(answered, answered);
      const { rows }: { rows: Row[] } = await inTime(this.#clock, wanted, timeoutMs, giveUp).catch(
        async (error) => {
          if (!late) throw error;
          // The answer may be in the socket of a process that slept.
          await setImmediate();
          if (isAnswered) {
            late = undefined;
            return answer;
          }
          cancelStatement(client);
          this.#cancelled.add(client);
          // Mostly it is known then that PostgreSQL has done nothing.
          return inTime(this.#clock, answer, CANCEL_MS, giveUp);
        },
      );
      // Whatever the notices say: the client may have asked for none.
      if (late || (needsStandby && !isReplicated)) throw new Error('the standby may not have it');
      return rows;
    } catch (cause) {
      // After an error that is not fatal, PostgreSQL has done nothing.
      throw new QueryError(what, late ?? cause, !isRefusal(cause));
    } finally {
      client.off('notice', noticed);
    }
  }

  /** Somebody else uses it too, and closes it. */
  share(): Database {
    this.#users += 1;
    return this;
  }

  /** The last user that closes it ends the pool; one of somebody else's is used on without this journal. */
  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    // Its connections may still fail after that.
    if (this.#isOwn) await this.#pool.end();
    else this.#pool.off('error', ignore);
  }

  /** A connection. If it comes too late it goes back unused: what it would have done may be done by then. */
  #connect({ what, timeoutMs = this.#timeoutMs }: Query): Promise<PoolClient> {
    const mostMs = Math.min(timeoutMs, this.#timeoutMs);
    return new Promise((resolve, reject) => {
      let isLate = false;
      const fail = (cause: unknown) => reject(new QueryError(what, cause, false));
      const timer = this.#clock.setTimeout(() => {
        isLate = true;
        fail(lateError('connection', mostMs));
      }, mostMs);
      // With a callback: it listens before an error can come that the server sends right behind its welcome.
      this.#pool.connect((error, client) => {
        timer.cancel();
        if (!client) return fail(error);
        if (isLate) return client.release();
        client.on('error', ignore);
        resolve(client);
      });
    });
  }
}

function isPool(pool: Pool | PoolConfig): pool is Pool {
  return hasMethods(pool, 'connect', 'query');
}

function lateError(what: string, afterMs: number): Error {
  return new Error(`no ${what} within ${afterMs} ms`);
}
