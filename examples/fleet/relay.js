// @ts-check
// A relay without a disk: it answers 202 once the event is in the database. Forwarders send it.
import { postgresJournal } from '@sluice/postgres';
import { createRelay, startRelayServer } from '@sluice/relay';

const { SLUICE_URL = '', SLUICE_API_KEY = '', DATABASE_URL, RELAY_SECRET = '', DIRECTORY } = process.env;

const relay = createRelay({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
  secret: RELAY_SECRET,
  directory: DIRECTORY, // for the ids of events that have come already
  enforcement: 'observe', // the visitors of this example sign no one in
  tracker: { journal: postgresJournal({ pool: { connectionString: DATABASE_URL }, send: false }) },
});
const server = await startRelayServer(relay);
process.send?.({ url: server.url });
process.once('SIGTERM', () => void server.close().finally(() => process.exit()));
process.once('disconnect', () => process.exit());
