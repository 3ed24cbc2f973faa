import { createTracker } from '@sluice/core';
import { postgresJournal } from '@sluice/postgres';
import pg from 'pg';
import { NOBODY } from '../processes/nobody.ts';
import { trackEvent } from '../processes/tracker.ts';
import type { Store } from './store.ts';

/** Sluice with its journal in PostgreSQL, as a publisher. */
export async function openPostgresStore(connectionString: string): Promise<Store> {
  const tracker = createTracker({
    ...{ baseUrl: NOBODY, apiKey: 'bench-key', correlationKey: 'email', logger: false },
    journal: postgresJournal({ pool: { connectionString }, send: false }),
  });
  await tracker.durable();
  const counted = async () => {
    const pool = new pg.Pool({ connectionString, max: 1 });
    const { rows } = await pool.query(
      'select count(*)::int as parcels, sum(events)::int as events from sluice.parcel',
    );
    await pool.end();
    return rows[0];
  };
  let commits = 0;
  return {
    get commits() {
      return commits;
    },
    add: (event) => trackEvent(tracker, event),
    endTurn: () => undefined,
    settle: () => tracker.durable(),
    async count() {
      const { parcels, events } = await counted();
      commits = parcels;
      return events;
    },
    close: () => tracker.close({ timeoutMs: 0 }),
  };
}
