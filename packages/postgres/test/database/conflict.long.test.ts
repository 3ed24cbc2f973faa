import { expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet, numbered } from '../bench/fleet.ts';

describeFleet(
  'Where all transactions are serializable by default',
  (fleet) => {
    it('a statement that PostgreSQL breaks off because of another one is run again', async () => {
      const { journal } = await fleet.journal();
      const range = await journal.append(numbered('contended', 10));
      const other = await fleet.database.pool.connect();
      await other.query('begin');
      await other.query(`update ${fleet.schema}.parcel set gone = gone`);
      const released = journal.acknowledge(range);
      const waiting = `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete%'`;
      await expect.poll(() => fleet.ask(waiting), PATIENCE).toBe('1');
      await other.query('commit');
      other.release();
      await released;
      expect(await fleet.count('parcel')).toBe(0);
    });

    it('one that is broken off each time fails in the end', async () => {
      const { journal } = await fleet.journal();
      const range = await journal.append(numbered('refused', 10));
      await fleet.database.pool.query(
        `create function ${fleet.schema}.refuse() returns trigger language plpgsql as
          $$ begin raise 'could not serialize access' using errcode = '40001'; end $$;
        create trigger refuse before delete on ${fleet.schema}.parcel execute function ${fleet.schema}.refuse()`,
      );
      await expect(journal.acknowledge(range)).rejects.toThrow('could not serialize access');
      await fleet.database.pool.query(`drop trigger refuse on ${fleet.schema}.parcel`);
    });
  },
  { settings: { default_transaction_isolation: 'serializable' } },
);
