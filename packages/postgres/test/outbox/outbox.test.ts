import { ConfigError, InvalidEventError } from '@sluice/core';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createOutbox, type OutboxClient, type RunQuery } from '../../src/index.ts';

const ADA = { correlationValue: 'ada@example.com' };

/** Notes the statements that it is to run. */
function recorder() {
  const statements: { sql: string; values: readonly (string | number)[] }[] = [];
  const run: RunQuery = async (sql, values) => void statements.push({ sql, values });
  return { run, statements };
}

it('inserts the slot and the text of an event, by parameters', async () => {
  const { run, statements } = recorder();
  const outbox = createOutbox({ correlationKey: 'email', schema: 'events' });
  expect(await outbox.track(run, 'purchase', { total: 42.5 }, ADA)).toBe(1);
  expect(statements).toEqual([
    {
      sql: 'insert into "events".outbox (slot, body) values ($1, $2)',
      values: [expect.any(Number), expect.stringContaining('"payload":{"total":42.5}')],
    },
  ]);
});

it('runs one statement for many events, with one parameter', async () => {
  const { run, statements } = recorder();
  const outbox = createOutbox({ correlationKey: 'email' });
  const events = ['a', 'b', 'c'].map((name) => ({ name, payload: { of: name }, ...ADA }));
  expect(await outbox.trackAll(run, events)).toBe(3);
  expect(statements).toHaveLength(1);
  const rows: [number, string][] = JSON.parse(String(statements[0]?.values[0]));
  expect(rows.map(([, body]) => JSON.parse(body).event)).toEqual(['a', 'b', 'c']);
});

it('runs no statement if no event is left', async () => {
  const { run, statements } = recorder();
  const outbox = createOutbox({ correlationKey: 'email', beforeSend: () => null });
  expect(await outbox.track(run, 'a', {}, ADA)).toBe(0);
  expect(await outbox.trackAll(run, [{ name: 'a', ...ADA }])).toBe(0);
  expect(await createOutbox({ correlationKey: 'email' }).trackAll(run, [])).toBe(0);
  expect(statements).toEqual([]);
});

it('does not show what it got in place of a client: it may have a password', async () => {
  const address = 'postgres://ada:canary@db.example.com/shop' as never;
  const refused = createOutbox({ correlationKey: 'email' }).track(address, 'a', {}, ADA);
  await expect(refused).rejects.toThrow(
    /^client must be a client of pg, or a function \(sql, values\) => Promise$/,
  );
});

it('says that it wants a list, and that the table is missing', async () => {
  const { track, trackAll } = createOutbox({ correlationKey: 'email' });
  await expect(trackAll(recorder().run, { name: 'a', ...ADA } as never)).rejects.toThrow(
    /^events must be a list of events, got/,
  );
  const error = Object.assign(new Error('relation "sluice.outbox" does not exist'), { code: '42P01' });
  await expect(track(() => Promise.reject(error), 'a', {}, ADA)).rejects.toThrow(
    /call migrate\(\) first, with the same schema$/,
  );
});

it('calls an event invalid that is none', async () => {
  const { run } = recorder();
  const { trackAll } = createOutbox({ correlationKey: 'email' });
  await expect(trackAll(run, [null as never])).rejects.toThrow(InvalidEventError);
});

it('runs no statement if one event is invalid', async () => {
  const { run, statements } = recorder();
  const outbox = createOutbox({ correlationKey: 'email' });
  await expect(outbox.track(run, 'a', {})).rejects.toThrow(InvalidEventError);
  const events = [{ name: 'good', ...ADA }, { name: 'bad' }];
  await expect(outbox.trackAll(run, events)).rejects.toMatchObject({
    field: 'correlationValue',
    event: 'bad',
  });
  expect(statements).toEqual([]);
});

it('puts the events of one customer into one slot, and customers evenly into 16', async () => {
  const { run, statements } = recorder();
  const outbox = createOutbox({ correlationKey: 'email' });
  const customers = Array.from({ length: 1_600 }, (_, index) => `customer-${index}@example.com`);
  const events = customers.map((correlationValue) => ({ name: 'a', correlationValue }));
  await outbox.trackAll(run, [...events, ...events]);
  const rows: [number, string][] = JSON.parse(String(statements[0]?.values[0]));
  const slots = rows.map(([slot]) => slot);
  expect(slots.slice(0, 1_600)).toEqual(slots.slice(1_600));
  const counts = Array.from({ length: 16 }, (_, slot) => slots.filter((each) => each === slot).length / 2);
  expect(counts.reduce((sum, count) => sum + count)).toBe(1_600);
  for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(50);
});

it('takes a client, and passes on what it rejects with', async () => {
  const outbox = createOutbox({ correlationKey: 'email' });
  const cause = new Error('current transaction is aborted');
  const client = {
    isClient: true,
    async query() {
      if (this.isClient) throw cause;
    },
  };
  await expect(outbox.track(client, 'a', {}, ADA)).rejects.toBe(cause);
});

it.each([undefined, null, {}, 'pool'])('refuses %j as a client', async (client) => {
  const outbox = createOutbox({ correlationKey: 'email' });
  const refused = outbox.track(client as unknown as OutboxClient, 'a', {}, ADA);
  await expect(refused).rejects.toThrow(ConfigError);
});

it('refuses a pool: its statements are in no transaction of the application', async () => {
  const outbox = createOutbox({ correlationKey: 'email' });
  const pool = new pg.Pool();
  await expect(outbox.track(pool, 'a', {}, ADA)).rejects.toThrow('pool.connect()');
  await expect(outbox.trackAll(pool, [{ name: 'a', ...ADA }])).rejects.toThrow(ConfigError);
  await pool.end();
});

it('takes the events that the application declares, and no others', async () => {
  interface Events {
    purchase: { total: number };
    page_view: { url?: string };
    signed_out: undefined;
  }
  const { run, statements } = recorder();
  const outbox = createOutbox<Events>({ correlationKey: 'email' });
  await outbox.track(run, 'purchase', { total: 42.5 }, ADA);
  await outbox.track(run, 'signed_out', undefined, ADA);
  await outbox.trackAll(run, [
    { name: 'page_view', ...ADA },
    { name: 'signed_out', ...ADA },
  ]);
  expect(statements).toHaveLength(3);
  const wrong = () => [
    // @ts-expect-error a purchase has a total
    outbox.track(run, 'purchase'),
    // @ts-expect-error which is a number
    outbox.track(run, 'purchase', { total: '42.5' }),
    // @ts-expect-error no such event
    outbox.track(run, 'refund', {}),
    // @ts-expect-error a purchase has a total
    outbox.trackAll(run, [{ name: 'purchase', ...ADA }]),
    // @ts-expect-error an outbox has no priorities
    outbox.track(run, 'page_view', {}, { priority: 'high' }),
  ];
  expect(wrong).toBeTypeOf('function');
});

it('checks its options', () => {
  expect(() => createOutbox({ correlationKey: '' })).toThrow(ConfigError);
  expect(() => createOutbox({ correlationKey: 'email', schema: 'a-b' })).toThrow(ConfigError);
});
