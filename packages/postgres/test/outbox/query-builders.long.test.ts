import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { createOutbox, migrate, type RunQuery } from '../../src/index.ts';
import { describeOnPostgres } from '../bench/server.ts';

const ADA = { correlationValue: 'ada@example.com' };
const outbox = createOutbox({ correlationKey: 'email' });

/** Puts one event, and then two, into the outbox. */
async function trackThree(run: RunQuery, builder: string): Promise<void> {
  await outbox.track(run, builder, { index: 0 }, ADA);
  await outbox.trackAll(
    run,
    [1, 2].map((index) => ({ name: builder, payload: { index }, ...ADA })),
  );
}

describeOnPostgres('query builders', (database) => {
  beforeAll(async () => void (await migrate(database.pool)));

  async function indexes(name: string): Promise<unknown[]> {
    const { rows } = await database.pool.query(
      `select body::json -> 'payload' ->> 'index' as index from sluice.outbox where body::json ->> 'event' = $1 order by seq`,
      [name],
    );
    return rows.map(({ index }) => index);
  }

  it('runs in a transaction of Kysely', async () => {
    // It is not destroyed: the pool is that of all tests.
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool: database.pool }) });
    const work = (end?: Error) =>
      kysely.transaction().execute(async (transaction) => {
        const run: RunQuery = (text, values) => transaction.executeQuery(CompiledQuery.raw(text, values));
        await trackThree(run, 'kysely');
        if (end) throw end;
      });
    await expect(work(new Error('rolled back'))).rejects.toThrow('rolled back');
    expect(await indexes('kysely')).toEqual([]);
    await work();
    expect(await indexes('kysely')).toEqual(['0', '1', '2']);
  });

  it('runs in a transaction of Drizzle', async () => {
    const db = drizzle(database.pool);
    const work = (end?: Error) =>
      db.transaction(async (transaction) => {
        const run: RunQuery = (text, values) => {
          const parts = text.split(/\$\d+/).map((part) => sql.raw(part));
          return transaction.execute(
            sql.join(parts.flatMap((part, at) => (at < values.length ? [part, sql`${values[at]}`] : [part]))),
          );
        };
        await trackThree(run, 'drizzle');
        if (end) throw end;
      });
    await expect(work(new Error('rolled back'))).rejects.toThrow('rolled back');
    expect(await indexes('drizzle')).toEqual([]);
    await work();
    expect(await indexes('drizzle')).toEqual(['0', '1', '2']);
  });
});
