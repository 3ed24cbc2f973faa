// A relay behind a server of its own.
import { createRelay, startRelayServer } from '@sluice/relay';
import { receiveSettings, tell } from '../processes/parent.ts';
import type { RelaySettings, RelayTold } from './relay-messages.ts';

const UNLIMITED = { ticketEventsPerMinute: 2 ** 31, addressEventsPerMinute: 2 ** 31 };

const { baseUrl, apiKey, directory } = await receiveSettings<RelaySettings>();
const nothing = () => undefined;
const relay = createRelay({
  ...{ baseUrl, apiKey, directory, correlationKey: 'email', limits: UNLIMITED },
  secret: 'the secret of a relay in a benchmark',
  identify: () => 'customer-1000@example.com',
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
});
const { url } = await startRelayServer(relay);
tell<RelayTold>({ type: 'ready', url });
