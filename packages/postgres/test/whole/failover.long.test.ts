import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createOutbox, migrate, type RunQuery } from '../../src/index.ts';
import { describeOnPostgres } from '../bench/server.ts';
import { numbered, trackNumbered, useService } from '../bench/service.ts';

describeOnPostgres('a primary with a synchronous standby', (database) => {
  const { arrived, track } = useService();
  beforeAll(async () => void (await migrate(database.pool)));

  it('loses no committed event when it is killed and the standby takes its place', async () => {
    const { server, pool } = database;
    const standby = await server.startStandby();
    onTestFinished(() => standby.close());
    const publisher = track({ pool: { connectionString: server.connectionString }, send: false });
    trackNumbered(publisher, 'handed over', 500);
    await publisher.durable();
    const run: RunQuery = (sql, values) => pool.query(sql, values);
    await createOutbox({ correlationKey: 'email' }).trackAll(run, numbered('outbox', 500));
    pool.on('error', () => {});
    await server.stop('kill');
    await standby.promote();
    const forwarder = track({ pool: { connectionString: standby.connectionString }, outbox: true });
    await arrived('handed over', 500);
    await arrived('outbox', 500);
    await forwarder.close();
    expect(await standby.psql('select count(*) from sluice.outbox')).toBe('0\n');
  });
});
