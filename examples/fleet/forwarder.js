// @ts-check
// A forwarder: a tracker that tracks nothing, and sends what relays and transactions left in the database.
import { createTracker } from '@sluice/core';
import { postgresJournal } from '@sluice/postgres';

const { SLUICE_URL = '', SLUICE_API_KEY, DATABASE_URL } = process.env;

const tracker = createTracker({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
  journal: postgresJournal({ pool: { connectionString: DATABASE_URL }, outbox: true }),
});
process.send?.({});
process.once('SIGTERM', () => void tracker.close().finally(() => process.exit()));
process.once('disconnect', () => process.exit());
