import { createEventWriter } from '@sluice/core/event-writer';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { createOutbox, migrate, type RunQuery } from '../../src/index.ts';
import { describeOnPostgres } from '../bench/server.ts';

const ADA = { correlationValue: 'ada@example.com' };
const outbox = createOutbox({ correlationKey: 'email' });

describeOnPostgres('the outbox', (database) => {
  beforeAll(async () => void (await migrate(database.pool)));

  const run: RunQuery = (sql, values) => database.pool.query(sql, values);

  /** The events of a name, in the order in which a forwarder takes them. */
  async function stored(name: string): Promise<{ event: string; payload: Record<string, unknown> }[]> {
    const sql = 'select body from sluice.outbox where starts_with(body, $1) order by slot, seq';
    const { rows } = await database.pool.query<{ body: string }>(sql, [`{"event":"${name}"`]);
    return rows.map(({ body }) => JSON.parse(body));
  }

  /** Runs work in a transaction, and then `commit` or `rollback`. */
  async function inTransaction(
    end: string,
    work: (client: pg.PoolClient) => Promise<unknown>,
  ): Promise<void> {
    const client = await database.pool.connect();
    await client.query('begin');
    await work(client);
    await client.query(end);
    client.release();
  }

  it('has an event if its transaction commits, and only then', async () => {
    await database.pool.query('create table purchase (id int primary key)');
    for (const [id, end] of [
      [1, 'commit'],
      [2, 'rollback'],
    ] as const)
      await inTransaction(end, async (client) => {
        await client.query('insert into purchase values ($1)', [id]);
        await outbox.track(client, 'purchase', { id }, ADA);
        await outbox.trackAll(client, [{ name: 'mail', payload: { id }, ...ADA }]);
      });
    expect((await stored('purchase')).map(({ payload }) => payload)).toEqual([{ id: 1 }]);
    expect((await stored('mail')).map(({ payload }) => payload)).toEqual([{ id: 1 }]);
  });

  it('commits without an invalid event: it runs no statement that fails', async () => {
    await inTransaction('commit', async (client) => {
      await outbox.track(client, 'before', {}, ADA);
      await expect(outbox.track(client, '', {}, ADA)).rejects.toThrow('event must be a non-empty string');
      await outbox.track(client, 'after', {}, ADA);
    });
    expect(await stored('before')).toHaveLength(1);
    expect(await stored('after')).toHaveLength(1);
  });

  it('keeps the order of events that one statement inserts', async () => {
    const events = Array.from({ length: 5_000 }, (_, index) => ({
      name: 'many',
      payload: { index },
      ...ADA,
    }));
    await outbox.trackAll(run, events);
    expect((await stored('many')).map(({ payload }) => payload.index)).toEqual([...events.keys()]);
  });

  it('keeps the text of an event as it is, whatever its characters', async () => {
    const texts = ['\u0000', '\ud800', '\u2028"\\\\"\'', '$1 {},"', '\ufeffü😀', '\n\t\r', 'null'];
    const payload = Object.fromEntries(texts.map((text, index) => [`${index}${text}`, text]));
    const given = {
      uuid: '3f0c1f6e-0000-4000-8000-00000000000a',
      timestamp: 0,
      correlationValue: texts.join(''),
    };
    await outbox.track(run, 'odd', payload, given);
    await outbox.trackAll(run, [{ name: 'odd', payload, ...given }]);
    const { rows } = await database.pool.query(
      `select body from sluice.outbox where body like '{"event":"odd"%'`,
    );
    const written = createEventWriter({ correlationKey: 'email' })('odd', payload, given);
    expect(rows).toEqual([{ body: Object(written).text }, { body: Object(written).text }]);
  });

  it('takes an event as large as events may be', async () => {
    const large = createOutbox({ correlationKey: 'email', maxEventBytes: 16 * 1024 * 1024 });
    const text = 'ä'.repeat(8_000_000);
    await large.track(run, 'large', { text }, ADA);
    expect((await stored('large'))[0]?.payload).toEqual({ text });
  });

  it('gives the events of one connection after another numbers in order', async () => {
    const pool = new pg.Pool({ connectionString: database.server.connectionString, max: 4 });
    for (let index = 0; index < 20; index += 1) {
      const client = await pool.connect();
      await outbox.track(client, 'turns', { index }, ADA);
      // The next one gets another connection.
      void pool.query('select pg_sleep(0.01)');
      client.release();
    }
    await pool.end();
    expect((await stored('turns')).map(({ payload }) => payload.index)).toEqual([...Array(20).keys()]);
  });
});
