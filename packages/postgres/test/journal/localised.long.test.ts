import pg from 'pg';
import { expect, it } from 'vitest';
import { describeFleet, numbered } from '../bench/fleet.ts';

describeFleet('A server that speaks another language', (fleet) => {
  it('refuses an append for certain: nothing is repeated', async () => {
    const pool = new pg.Pool({ connectionString: fleet.database.server.connectionString, max: 1 });
    // With lc_messages = 'de_DE.UTF-8', PostgreSQL calls an ERROR "FEHLER".
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const translated = (...args: unknown[]) =>
        query(...args).catch((error) => {
          throw Object.assign(error, error.severity === 'ERROR' && { severity: 'FEHLER' });
        });
      Object.assign(client, { query: translated });
    });
    const { journal } = await fleet.journal({ pool, send: false, notify: false });
    await journal.append(numbered('before', 1));
    await fleet.ask(`alter table ${fleet.schema}.parcel add constraint refused check (seq < 2) not valid`);
    const refused = await Promise.race([
      journal.append(numbered('after', 1)).catch((error: Error) => error.message),
      new Promise((resolve) => setTimeout(resolve, 8_000, 'no answer within 8 s')),
    ]);
    expect(refused).toMatch(/violates check constraint "refused"$/);
    await journal.close();
    await pool.end();
  });
});
